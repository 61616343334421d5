/** A document that is encoded already, within one that is not. */
export class Encoded {
  constructor(readonly bytes: Buffer) {}
}
