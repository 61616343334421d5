/** The source of a regular expression for a path below the prefix, and the names of what it captures. */
export interface PathPattern {
  readonly source: string;
  readonly names: readonly string[];
}

/** The source of a regular expression that matches this text of a path. */
export const pathSource = (text: string): string => text.replace(/[^\w/]/g, '\\$&');
