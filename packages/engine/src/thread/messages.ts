/** The messages of the thread. */
export type FromThread =
  | { readonly kind: 'serving'; readonly uri: string; readonly owned: boolean; readonly pid: number }
  | {
      readonly kind: 'failed';
      readonly name: string;
      readonly message: string;
      readonly code?: string | undefined;
    }
  | { readonly kind: 'closed' };
