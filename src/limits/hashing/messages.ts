/** What scrypt is run with: memory and time, as in Node's `ScryptOptions`. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** What the thread is asked to do. */
export type HashJob =
  | {
      readonly kind: 'scrypt';
      readonly password: string;
      readonly salt: Uint8Array;
      readonly bytes: number;
      readonly cost: ScryptCost;
    }
  | { readonly kind: 'hash'; readonly password: string; readonly rounds: number }
  | { readonly kind: 'compare'; readonly password: string; readonly hash: string };

/** What it answers. */
export type HashResult = { readonly value: Uint8Array | string | boolean } | { readonly failed: string };
