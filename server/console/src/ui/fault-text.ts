/** What the service says of a member, as a person reads it: without the words that programs tell faults by. */

const PREFIX = /^Value error, /;
const PATTERN = /^String should match pattern /;

export function faultText(message: string): string {
  // The pattern itself says nothing to most people; what stands beside a field does.
  if (PATTERN.test(message)) return "It has characters, or a form, that are not allowed here.";
  const text = message.replace(PREFIX, "");
  return text === message ? text : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
