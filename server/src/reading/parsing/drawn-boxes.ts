/**
 * Boxes and tables that plain text draws with characters (`+-----+`, `| a | b |`, `┌──┬──┐`): what is in
 * them without their borders, at the places where it stood.
 */

const UPRIGHT = "|│┃║╎╏┆┇┊┋";
const CORNERS = "+┌┐└┘├┤┬┴┼┏┓┗┛┣┫┳┻╋╔╗╚╝╠╣╦╩╬╒╓╕╖╘╙╛╜╞╟╡╢╤╥╧╨╪╫╭╮╯╰";
const LEVEL = "\\-=_~─━═┄┅┈┉╌╍";

/** A border from one corner to another: no line under a title, which has no corners. */
const RULE = new RegExp(
  `^\\s*[${CORNERS}${UPRIGHT}](?:[${LEVEL}:]|[${CORNERS}${UPRIGHT}](?=[${LEVEL}:]|\\s*$))+\\s*$`,
  "u",
);
const ROW = new RegExp(`^\\s*[${UPRIGHT}].*[${UPRIGHT}]\\s*$`, "u");
const UPRIGHTS = new RegExp(`[${UPRIGHT}](?=\\s|$)|(?<=\\s|^)[${UPRIGHT}]`, "gu");

/** A page's lines; a border becomes a blank line, an upright between cells a gap of two spaces at least. */
export function withoutBorders(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => RULE.test(line))) return lines;
  return lines.map((line) => {
    if (RULE.test(line)) return "";
    return ROW.test(line) ? line.replace(UPRIGHTS, "  ") : line;
  });
}
