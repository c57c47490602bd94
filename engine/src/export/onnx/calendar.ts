/** Calendar parts of times as nodes, step by step what `data/expansion/timestamp.ts` computes. */

import type { TimestampPart } from "../../data/expansion/timestamp.ts";
import type { Graph, Value } from "./graph.ts";

const DAY = 86_400_000;

interface CivilDate {
  readonly year: Value;
  readonly month: Value;
  readonly day: Value;
  readonly dayOfYear: Value;
}

export class CalendarNodes {
  readonly #graph: Graph;
  readonly #origin: number;
  /** Milliseconds; NaN where infinite, which has no calendar. */
  readonly #time: Value;
  readonly #days: Value;
  readonly #inDay: Value;
  #date: CivilDate | null = null;

  constructor(graph: Graph, time: Value, origin: number) {
    this.#graph = graph;
    this.#origin = origin;
    this.#time = graph.node("Where", [graph.node("IsInf", [time]), graph.double(Number.NaN), time]);
    this.#days = this.#floor(this.#div(this.#time, DAY));
    this.#inDay = this.#sub(this.#time, this.#mul(this.#days, DAY));
  }

  part(part: TimestampPart): Value {
    switch (part) {
      case "elapsed_days":
        return this.#div(this.#sub(this.#time, this.#number(this.#origin)), DAY);
      case "hour":
        return this.#floor(this.#div(this.#inDay, 3_600_000));
      case "minute":
        return this.#modulo(this.#floor(this.#div(this.#inDay, 60_000)), 60);
      case "second":
        return this.#modulo(this.#floor(this.#div(this.#inDay, 1000)), 60);
      case "weekday":
        return this.#modulo(this.#add(this.#days, 3), 7);
      case "year":
        return this.#civil().year;
      case "month":
        return this.#civil().month;
      case "day":
        return this.#civil().day;
      case "day_of_year":
        return this.#civil().dayOfYear;
    }
  }

  /** Hinnant's days-to-civil. */
  #civil(): CivilDate {
    if (this.#date !== null) return this.#date;
    const z = this.#add(this.#days, 719_468);
    const era = this.#quotient(z, 146_097);
    const dayOfEra = this.#sub(z, this.#mul(era, 146_097));
    const corrected = this.#sub(
      this.#add(
        this.#sub(dayOfEra, this.#quotient(dayOfEra, 1460)),
        this.#quotient(dayOfEra, 36_524),
      ),
      this.#quotient(dayOfEra, 146_096),
    );
    const yearOfEra = this.#quotient(corrected, 365);
    const leapDays = this.#sub(this.#quotient(yearOfEra, 4), this.#quotient(yearOfEra, 100));
    const dayOfShifted = this.#sub(dayOfEra, this.#add(this.#mul(yearOfEra, 365), leapDays));
    const shiftedMonth = this.#quotient(this.#add(this.#mul(dayOfShifted, 5), 2), 153);
    const monthStart = this.#quotient(this.#add(this.#mul(shiftedMonth, 153), 2), 5);
    const early = this.#graph.node("Less", [shiftedMonth, this.#number(10)]);
    const month = this.#where(early, this.#add(shiftedMonth, 3), this.#add(shiftedMonth, -9));
    const afterNewYear = this.#graph.node("LessOrEqual", [month, this.#number(2)]);
    const shiftedYear = this.#add(yearOfEra, this.#mul(era, 400));
    const year = this.#where(afterNewYear, this.#add(shiftedYear, 1), shiftedYear);
    const leap = this.#graph.node("Or", [
      this.#graph.node("And", [
        this.#isZero(this.#modulo(year, 4)),
        this.#graph.node("Not", [this.#isZero(this.#modulo(year, 100))]),
      ]),
      this.#isZero(this.#modulo(year, 400)),
    ]);
    const sinceMarch = this.#add(
      dayOfShifted,
      this.#where(leap, this.#number(61), this.#number(60)),
    );
    this.#date = {
      year,
      month,
      day: this.#add(this.#sub(dayOfShifted, monthStart), 1),
      dayOfYear: this.#where(afterNewYear, this.#add(dayOfShifted, -305), sinceMarch),
    };
    return this.#date;
  }

  #number(value: Value | number): Value {
    return typeof value === "number" ? this.#graph.double(value) : value;
  }

  #add(a: Value, b: Value | number): Value {
    return this.#graph.node("Add", [a, this.#number(b)]);
  }

  #sub(a: Value, b: Value): Value {
    return this.#graph.node("Sub", [a, b]);
  }

  #mul(a: Value, b: number): Value {
    return this.#graph.node("Mul", [a, this.#number(b)]);
  }

  #div(a: Value, b: number): Value {
    return this.#graph.node("Div", [a, this.#number(b)]);
  }

  #floor(a: Value): Value {
    return this.#graph.node("Floor", [a]);
  }

  #quotient(a: Value, b: number): Value {
    return this.#floor(this.#div(a, b));
  }

  /** Not negative, whatever the sign of `a`. */
  #modulo(a: Value, b: number): Value {
    return this.#sub(a, this.#mul(this.#quotient(a, b), b));
  }

  #isZero(a: Value): Value {
    return this.#graph.node("Equal", [a, this.#number(0)]);
  }

  #where(condition: Value, a: Value, b: Value): Value {
    return this.#graph.node("Where", [condition, a, b]);
  }
}
