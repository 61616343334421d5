/** Whether there is no value. */
export const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;

/**
 * The value itself, or the members of a list, apart from those that are absent.
 * @example presentIn([1, null]) // [1]
 */
export const presentIn = (value: unknown): readonly unknown[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => !isAbsent(one));
