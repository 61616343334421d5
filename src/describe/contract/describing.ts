import type { Config } from '../../config/types.js';
import { restViewer, type Viewer, visibleAttributes } from '../../query/attributes.js';
import type { Attribute, Model, Schema } from '../../schema/types.js';
import { typeNames } from '../names.js';
import { ref } from './json-schema.js';
import type { ContractForm, JsonSchema, Schemas } from './types.js';

/** What the parts of a description share while it is built. */
export interface Describing {
  readonly config: Config;
  readonly schema: Schema;
  readonly form: ContractForm;
  readonly viewer: Viewer;
  /** The name of a model: `Restaurant`. */
  nameOf(model: Model): string;
  /**
   * A reference to a named schema. `make` is called once for each `identity`; two identities never share a
   * name, whatever the content types are called.
   */
  named(name: string, make: () => JsonSchema, identity?: string): JsonSchema;
  /** The same for a schema of a model, named after it with a `suffix`. */
  ofModel(model: Model, suffix: string, make: () => JsonSchema): JsonSchema;
  /** All named schemas so far. */
  schemas(): Schemas;
}

export function createDescribing(
  { config, schema }: { readonly config: Config; readonly schema: Schema },
  form: ContractForm,
): Describing {
  const names = typeNames(schema);
  const made = new Map<string, JsonSchema>();
  const nameByIdentity = new Map<string, string>();
  const nameOf = ({ uid }: Model): string => names.get(uid) ?? 'Unknown';
  const named: Describing['named'] = (name, make, identity = name) => {
    const known = nameByIdentity.get(identity);
    if (known !== undefined) return ref(known);
    const free = freeName(name, made);
    nameByIdentity.set(identity, free);
    // Reserves the name first, since a schema may refer to itself.
    made.set(free, {});
    made.set(free, make());
    return ref(free);
  };
  return {
    config,
    schema,
    form,
    viewer: restViewer(form.caller),
    nameOf,
    named,
    ofModel: (model, suffix, make) => named(nameOf(model) + suffix, make, `${suffix} ${model.uid}`),
    schemas: () => Object.fromEntries([...made].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** `name`, with a number appended if it is taken. */
export function freeName(name: string, taken: { has(name: string): boolean }): string {
  let free = name;
  for (let at = 2; taken.has(free); at += 1) free = `${name}${at}`;
  return free;
}

/** The same for routes whose answers are flat in any response format. */
export const flat = (describing: Describing): Describing =>
  describing.form.v4
    ? {
        ...describing,
        form: { ...describing.form, v4: false },
        named: (name, make, identity = name) => describing.named(name, make, `flat ${identity}`),
        ofModel: (model, suffix, make) =>
          describing.named(describing.nameOf(model) + suffix, make, `flat ${suffix} ${model.uid}`),
      }
    : describing;

/** The attributes that answers may contain and queries may name. */
export const attributesFor = (model: Model, { viewer }: Describing): readonly Attribute[] =>
  visibleAttributes(model, viewer);
