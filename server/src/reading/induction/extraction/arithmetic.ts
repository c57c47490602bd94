/**
 * Which amount is which by arithmetic: a total is the subtotal with the tax and what else is added,
 * and what was paid less the change. Evidence is a factor of the odds that a value is the one asked.
 */

import type { DocumentText } from "../../parsing/document-text.ts";
import type { Answerer } from "../schema.ts";
import type { Conventions } from "../values/value.ts";
import type { Evidence } from "./candidates.ts";
import { type AmountsByRole, amountsByRole, type MoneyRole, roleAsked } from "./money-roles.ts";

/** What was paid, less the change, is it. */
const BY_CHANGE = 4;
/** Paid as it was, without change. */
const BY_PAYMENT = 1.8;
/** The parts sum up to it. */
const BY_SUM = 3;
/** More than the whole, or less than a part. */
const IMPOSSIBLE = 0.35;

/** It was rounded to what is paid. */
const UNROUNDED = 0.5;

/** Sums of parts that are looked at. */
const MOST_SUMS = 4_000;

/** Null where the question asks for no part in what is paid. */
export function moneyEvidence(
  content: DocumentText,
  answerer: Answerer,
  conventions: Conventions,
): Evidence | null {
  const role = roleAsked(answerer);
  if (role === null) return null;
  const amounts = amountsByRole(content, conventions);
  const factor = EVIDENCE[role];
  if (factor === undefined) return null;
  const ofAmount = factor(amounts);
  return ({ normal }) => (typeof normal === "number" ? ofAmount(normal) : 1);
}

type OfAmount = (amount: number) => number;

const EVIDENCE: Partial<Record<MoneyRole, (amounts: AmountsByRole) => OfAmount>> = {
  total(amounts) {
    const byChange = new Set<number>();
    const byPayment = new Set(amounts.paid.map(cents));
    for (const paid of amounts.paid) {
      for (const change of amounts.change) if (change > 0) byChange.add(cents(paid - change));
    }
    const sums = sumsOf(amounts);
    // Of two totals that the rounding parts, the rounded one is paid.
    const wholes = new Set(amounts.total.map(cents));
    const unrounded = new Set<number>();
    for (const whole of amounts.total) {
      for (const rounding of amounts.rounding) {
        if (rounding === 0 || Math.abs(rounding) >= whole) continue;
        const rounded = cents(whole + rounding);
        if (!wholes.has(rounded)) continue;
        sums.add(rounded);
        unrounded.add(cents(whole));
      }
    }
    const largest = Math.max(0, ...amounts.total);
    const least = Math.max(0, ...amounts.tax);
    return (amount) => {
      if (amount <= 0) return largest > 0 ? IMPOSSIBLE : 1;
      const key = cents(amount);
      let factor = 1;
      if (byChange.has(key)) factor *= BY_CHANGE;
      else if (byPayment.has(key) && amounts.change.every((change) => change === 0)) {
        factor *= BY_PAYMENT;
      }
      if (sums.has(key)) factor *= BY_SUM;
      if (unrounded.has(key)) factor *= UNROUNDED;
      return amount < least ? factor * IMPOSSIBLE : factor;
    };
  },
  subtotal({ total, tax }) {
    const most = Math.max(...total);
    const wholes = new Set(total.map(cents));
    const parts = tax.filter((amount) => amount > 0);
    return (amount) => {
      if (amount > most && total.length > 0) return IMPOSSIBLE;
      return parts.some((part) => wholes.has(cents(amount + part))) ? BY_SUM : 1;
    };
  },
  tax({ total, subtotal }) {
    const most = Math.max(...total);
    const wholes = new Set(total.map(cents));
    return (amount) => {
      if (amount >= most && total.length > 0 && amount > 0) return IMPOSSIBLE;
      const isRest = amount > 0 && subtotal.some((part) => wholes.has(cents(part + amount)));
      return isRest ? BY_SUM : 1;
    };
  },
  paid({ total, change }) {
    const wholes = new Set(total.map(cents));
    const least = Math.max(0, ...change);
    return (amount) => {
      if (amount < least) return IMPOSSIBLE;
      return change.some((back) => wholes.has(cents(amount - back))) ? BY_SUM : 1;
    };
  },
  change({ total, paid }) {
    const wholes = new Set(total.map(cents));
    return (amount) => (paid.some((given) => wholes.has(cents(given - amount))) ? BY_SUM : 1);
  },
};

/** What a subtotal comes to with any of what may be added or taken off, something of it at least. */
function sumsOf(amounts: AmountsByRole): Set<number> {
  const sums = new Set<number>();
  let count = 0;
  for (const subtotal of amounts.subtotal) {
    for (const tax of [0, ...amounts.tax]) {
      for (const service of [0, ...amounts.service]) {
        for (const rounding of [0, ...amounts.rounding]) {
          for (const discount of [0, ...amounts.discount]) {
            if (tax === 0 && service === 0 && rounding === 0 && discount === 0) continue;
            count += 1;
            if (count > MOST_SUMS) return sums;
            sums.add(cents(subtotal + tax + service + rounding - discount));
          }
        }
      }
    }
  }
  return sums;
}

function cents(amount: number): number {
  return Math.round(amount * 100);
}
