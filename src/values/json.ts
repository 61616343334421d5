/** Parses JSON; the value is wrapped, since it may itself be null. Null if the text is not JSON. */
export function parseJson(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}
