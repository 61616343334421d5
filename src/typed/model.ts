/**
 * What the types of a project say of a content type or component (`mangrove types` makes one of each): its attributes as they are
 * answered and as they are taken, and where those that must be populated lead to.
 */
export interface ModelTypes {
  readonly entry: object;
  readonly input: object;
  /** By attribute: relations, media, components and dynamic zones. */
  readonly links: object;
  /** Attributes that the content API neither shows nor takes in a query. */
  readonly private: string;
}

/** Where a link leads to: one, many, an item of a dynamic zone by component, or anything (a polymorphic relation). */
export type Link =
  | { readonly one: ModelTypes }
  | { readonly many: ModelTypes }
  | { readonly zone: object }
  | { readonly any: unknown };

export type LinkName<Model extends ModelTypes> = keyof Model['links'] & string;

/** Attributes that come without being populated. */
export type FieldName<Model extends ModelTypes> = Exclude<keyof Model['entry'] & string, LinkName<Model>>;

/** The model at the other end of a link; never of zones and polymorphic relations. */
export type Target<L> = L extends { readonly one: infer One extends ModelTypes }
  ? One
  : L extends { readonly many: infer Many extends ModelTypes }
    ? Many
    : never;

/** The same model as a client of the content API sees it. */
export interface PublicTypes<Model extends ModelTypes> {
  readonly entry: Omit<Model['entry'], Model['private']>;
  readonly input: Model['input'];
  readonly links: Omit<Model['links'], Model['private']>;
  readonly private: never;
}
