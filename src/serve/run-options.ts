/** Options of a server started from the command line. */
export interface RunOptions {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly agreed: boolean;
  readonly ignoreCode: true | readonly string[] | null;
  /** What the first start seeds from; null: nothing. */
  readonly seed: string | null;
  /** The number of serving processes. */
  readonly workers: number;
}
