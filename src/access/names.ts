/** Names of accounts: which there may be, and when two are one and the same to a person. */

/** What a name is compared by: case, width and composition make no difference. */
export const nameKey = (name: string): string => name.normalize('NFKC').toLowerCase().trim();

/** Control and format characters, separators other than a space, and letters that take no room. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|^\s|\s$/u;

/** Scripts whose letters look like each other's. */
const LOOKALIKES = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/** Whether a name could pass for another: invisible characters, spaces around it, or letters of scripts that look alike. */
export const isDeceptive = (name: string): boolean =>
  INVISIBLE.test(name) || LOOKALIKES.filter((script) => script.test(name)).length > 1;
