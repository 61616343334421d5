/** The error of a call. If several rules are violated, any of them may be reported. */
export interface Refusal {
  readonly name: string;
  readonly message: string;
}

export class Refused extends Error {
  readonly refusals: readonly Refusal[];
  constructor(refusals: readonly Refusal[]) {
    super(refusals.map(({ message }) => message).join('; '));
    this.refusals = refusals;
  }
}

export const invalid = (message: string): Refusal => ({ name: 'ValidationError', message });
export const refused = (name: string, message: string): Refused => new Refused([{ name, message }]);
