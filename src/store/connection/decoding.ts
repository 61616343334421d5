/**
 * The names of the lists that the driver leaves undecoded: none. Its own default is an object that inherits
 * `constructor` and the like, so that the documents in a list of such a name would be read as bytes, and
 * written back as an object of their bytes.
 */
export const ALL_DECODED: { readonly fieldsAsRaw: Readonly<Record<string, boolean>> } = {
  fieldsAsRaw: Object.create(null),
};
