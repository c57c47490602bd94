/** An ONNX graph under construction: nodes and constants by name, in the order in which they are added. */

import { Message } from "./protobuf.ts";

/** The name of a tensor in the graph. */
export type Value = string;

export type ElementType = "double" | "float" | "int64" | "string" | "bool";

/** `TensorProto.DataType`. */
const ELEMENT: Readonly<Record<ElementType, number>> = {
  float: 1,
  int64: 7,
  string: 8,
  bool: 9,
  double: 11,
};

export type Attribute =
  | { readonly int: number }
  | { readonly text: string }
  | { readonly ints: ArrayLike<number> }
  | { readonly texts: readonly string[] }
  | { readonly doubles: Float64Array };

/** Operators of trees and categories. */
export const ML = "ai.onnx.ml";
const OPSET = 17;
const ML_OPSET = 3;
/** The version of the format that came with opset 17. */
const IR_VERSION = 8;

/** Of protobuf, whose readers take no larger message. */
const MOST_BYTES = 2 ** 31 - 1;

export interface Described {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly facts: Readonly<Record<string, string>>;
}

interface NodeForm {
  readonly operator: string;
  readonly inputs: readonly Value[];
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly domain: string;
  readonly outputs: readonly Value[];
}

export class Graph {
  readonly #nodes: Message[] = [];
  readonly #constants: Message[] = [];
  readonly #inputs: Message[] = [];
  readonly #outputs: Message[] = [];
  readonly #taken: Set<string>;
  readonly #shared = new Map<string, Value>();
  #count = 0;

  /** @param reserved names of inputs, which nothing else may have */
  constructor(reserved: readonly string[]) {
    this.#taken = new Set(reserved);
  }

  input(name: string, type: ElementType, about: string): Value {
    this.#inputs.push(valueInfo(name, type, 1).text(3, about));
    return name;
  }

  /** @returns the output's name, which is another where an input has it */
  output(wanted: string, type: ElementType, columns: number | null, from: Value): string {
    let name = wanted;
    for (let i = 2; this.#taken.has(name); i++) name = `${wanted}.${i}`;
    this.#taken.add(name);
    this.#nodes.push(new Message().text(1, from).text(2, name).text(4, "Identity"));
    this.#outputs.push(valueInfo(name, type, columns));
    return name;
  }

  node(
    operator: string,
    inputs: readonly Value[],
    attributes: Readonly<Record<string, Attribute>> = {},
    domain = "",
  ): Value {
    const name = this.#newName(operator);
    this.#add({ operator, inputs, attributes, domain, outputs: [name] });
    return name;
  }

  /** Of an operator with several outputs. */
  nodes(
    operator: string,
    inputs: readonly Value[],
    attributes: Readonly<Record<string, Attribute>>,
    outputs: number,
  ): readonly Value[] {
    const names = Array.from({ length: outputs }, () => this.#newName(operator));
    this.#add({ operator, inputs, attributes, domain: "", outputs: names });
    return names;
  }

  doubles(values: ArrayLike<number>, shape: readonly number[]): Value {
    return this.#constant(doubleTensor(Float64Array.from(values), shape));
  }

  /** A number, which many nodes may share. */
  double(value: number): Value {
    const key = Object.is(value, -0) ? "-0" : String(value);
    let known = this.#shared.get(key);
    if (known === undefined) {
      known = this.doubles([value], []);
      this.#shared.set(key, known);
    }
    return known;
  }

  integers(values: ArrayLike<number>, shape: readonly number[]): Value {
    const bytes = new Uint8Array(values.length * 8);
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < values.length; i++) view.setBigInt64(i * 8, BigInt(values[i]), true);
    return this.#constant(tensor("int64", shape).bytes(9, bytes));
  }

  texts(values: readonly string[]): Value {
    return this.#constant(tensor("string", [values.length]).texts(6, values));
  }

  /** @throws RangeError where it is larger than readers of the format take */
  finish({ name, description, version, facts }: Described): Uint8Array<ArrayBuffer> {
    const graph = new Message();
    for (const node of this.#nodes) graph.message(1, node);
    graph.text(2, name);
    for (const constant of this.#constants) graph.message(5, constant);
    for (const input of this.#inputs) graph.message(11, input);
    for (const output of this.#outputs) graph.message(12, output);
    const model = new Message()
      .integer(1, IR_VERSION)
      .text(2, "Distillery")
      .text(3, version)
      .text(6, description)
      .message(7, graph)
      .message(8, new Message().text(1, "").integer(2, OPSET))
      .message(8, new Message().text(1, ML).integer(2, ML_OPSET));
    for (const [key, value] of Object.entries(facts)) {
      model.message(14, new Message().text(1, key).text(2, value));
    }
    if (model.length > MOST_BYTES) {
      throw new RangeError(
        `As ONNX the model has ${model.length} bytes, and files of that format end at 2 GiB.`,
      );
    }
    return model.finish();
  }

  #add({ operator, inputs, attributes, domain, outputs }: NodeForm): void {
    const message = new Message();
    for (const input of inputs) message.text(1, input);
    for (const output of outputs) message.text(2, output);
    message.text(3, outputs[0]).text(4, operator);
    for (const [key, value] of Object.entries(attributes)) {
      message.message(5, attribute(key, value));
    }
    if (domain !== "") message.text(7, domain);
    this.#nodes.push(message);
  }

  #constant(message: Message): Value {
    const name = this.#newName("constant");
    this.#constants.push(message.text(8, name));
    return name;
  }

  #newName(operator: string): Value {
    let name = "";
    do name = `/${operator}_${this.#count++}`;
    while (this.#taken.has(name));
    this.#taken.add(name);
    return name;
  }
}

/** @param columns null: a list, one entry a row */
function valueInfo(name: string, type: ElementType, columns: number | null): Message {
  const shape = new Message().message(1, new Message().text(2, "rows"));
  if (columns !== null) shape.message(1, new Message().integer(1, columns));
  const of = new Message().integer(1, ELEMENT[type]).message(2, shape);
  return new Message().text(1, name).message(2, new Message().message(1, of));
}

function tensor(type: ElementType, shape: readonly number[]): Message {
  const message = new Message();
  if (shape.length > 0) message.integers(1, shape);
  return message.integer(2, ELEMENT[type]);
}

function doubleTensor(values: Float64Array, shape: readonly number[]): Message {
  const bytes = new Uint8Array(values.length * 8);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i++) view.setFloat64(i * 8, values[i], true);
  return tensor("double", shape).bytes(9, bytes);
}

function attribute(name: string, value: Attribute): Message {
  const message = new Message().text(1, name);
  if ("int" in value) return message.integer(3, value.int).integer(20, 2);
  if ("text" in value) return message.text(4, value.text).integer(20, 3);
  if ("ints" in value) return message.integers(8, value.ints).integer(20, 7);
  if ("texts" in value) return message.texts(9, value.texts).integer(20, 8);
  const of = doubleTensor(value.doubles, [value.doubles.length]).text(8, name);
  return message.message(5, of).integer(20, 4);
}
