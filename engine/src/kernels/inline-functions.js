/**
 * A transform of the AssemblyScript compiler: functions whose head comment ends with `@inline` become part
 * of their callers. The compiler's own mark is a decorator, which is no TypeScript on a function.
 */

import { Node, NodeKind } from "assemblyscript";
import { Transform } from "assemblyscript/transform";

const MARKED = /@inline\s*\*\/\s*(?:export\s+)?$/;

export default class InlineFunctions extends Transform {
  afterParse({ sources }) {
    for (const source of sources) {
      for (const statement of source.statements) {
        if (statement.kind !== NodeKind.FunctionDeclaration) continue;
        const { range } = statement;
        if (!MARKED.test(source.text.slice(0, range.start))) continue;
        const name = Node.createIdentifierExpression("inline", range);
        statement.decorators = [Node.createDecorator(name, null, range)];
      }
    }
  }
}
