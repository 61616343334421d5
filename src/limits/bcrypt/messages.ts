/** What the thread is asked to do. */
export type HashJob =
  | { readonly kind: 'hash'; readonly password: string; readonly rounds: number }
  | { readonly kind: 'compare'; readonly password: string; readonly hash: string };

/** What it answers. */
export type HashResult = { readonly value: string | boolean } | { readonly failed: string };
