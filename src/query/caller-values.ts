/**
 * Values of the caller in the filters of rules. All callers with the same rules share plans: where a plan can, it has a
 * slot in place of a value, which is filled for each read.
 */
import type { ScalarType } from '../schema/types.js';

/** The values of one caller. */
export class CallerValues {
  private isRevealed = false;
  private readonly of: (name: string) => unknown;
  private readonly base: CallerValues | null;

  constructor(of: (name: string) => unknown, base: CallerValues | null = null) {
    this.of = of;
    this.base = base;
  }

  /** Whether a plan contains a value itself, so that it is this caller's alone. */
  get revealed(): boolean {
    return this.isRevealed || this.base?.revealed === true;
  }

  /** Undefined if the caller has none of this name. */
  get(name: string): unknown {
    return this.of(name);
  }

  /** The value, for a plan that cannot have a slot for it. */
  reveal(name: string): unknown {
    this.isRevealed = true;
    return this.get(name);
  }

  /** These and another value. */
  with(name: string, value: unknown): CallerValues {
    return new CallerValues((one) => (one === name ? value : this.get(one)), this);
  }
}

/** A value of the caller in a filter. */
export class CallerValue {
  readonly name: string;
  private readonly values: CallerValues;

  constructor(name: string, values: CallerValues) {
    this.name = name;
    this.values = values;
  }

  /** The value, for a plan that cannot have a slot for it. */
  reveal(): unknown {
    return this.values.reveal(this.name);
  }

  /** Equal for all callers, as in the key of a plan. */
  toJSON(): object {
    return { caller: this.name };
  }
}

/** What a plan has in place of a value of the caller: cast to the type when the read is bound to its caller. */
export class CallerSlot {
  readonly caller: string;
  readonly type: ScalarType;

  constructor(caller: string, type: ScalarType) {
    this.caller = caller;
    this.type = type;
  }
}
