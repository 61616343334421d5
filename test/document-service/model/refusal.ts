/** The error of a call. If several rules are violated, any of them may be reported. */
export interface Refusal {
  readonly name: string;
  readonly message: string;
  /** Of a value: all of these are reported together. */
  readonly ofValue?: true;
}

export class Refused extends Error {
  readonly refusals: readonly Refusal[];
  constructor(refusals: readonly Refusal[]) {
    super(refusals.map(({ message }) => message).join('; '));
    const ofValues = refusals.filter(({ ofValue }) => ofValue);
    const others = refusals.filter(({ ofValue }) => !ofValue);
    this.refusals =
      ofValues.length > 1 ? [...others, invalid(`${ofValues.length} errors occurred`)] : refusals;
  }
}

export const invalid = (message: string): Refusal => ({ name: 'ValidationError', message });
export const refused = (name: string, message: string): Refused => new Refused([{ name, message }]);
