import type { ForeignDocument } from '../../store/foreign.js';
import type { Problem, SourceEntry, SourceKey, SourceRecord } from '../types.js';
import { castValue, dateOf, isCastable, kindOf, plain } from './cast.js';
import type { Known, Strapi3 } from './context.js';
import { BEHIND, CREATORS, DERIVED, INTERNAL } from './fields.js';
import type { Raw } from './models.js';
import { type Fetched, idOf, kindRef, list, refOf, type Seen } from './references.js';

interface Reading {
  readonly context: Strapi3;
  readonly type: Known;
  readonly fetched: Fetched;
  readonly seen: Seen;
}

/** One document, taken apart. */
export class EntryReader {
  readonly #reading: Reading;
  readonly #document: ForeignDocument;
  readonly #records: SourceRecord[] = [];
  readonly #leftover: Record<string, unknown> = {};
  readonly #at: string;
  readonly #ref: string;

  constructor(reading: Reading, document: ForeignDocument) {
    this.#reading = reading;
    this.#document = document;
    this.#ref = refOf(document['_id']);
    this.#at = `${reading.type.uid} ${this.#ref}`;
  }

  records(): readonly SourceRecord[] {
    const { type } = this.#reading;
    const place: SourceKey = { uid: type.uid, ref: this.#ref };
    const data = this.#fields(type, this.#document, place, '');
    const siblings = this.#siblings();
    return [{ kind: 'entry', entry: this.#entry(place, data) }, ...siblings, ...this.#records];
  }

  #entry(place: SourceKey, data: Record<string, unknown>): SourceEntry {
    const { model } = this.#reading.type;
    const document = this.#document;
    const id = idOf(document['_id']);
    const made = id === null ? null : id.getTimestamp();
    // Only one of a document's locales can lend it its id.
    if (model.localized) this.#leftover['_id'] = this.#ref;
    const [created = '', updated = ''] = model.timestamps ?? [];
    const createdAt = dateOf(document[created]) ?? made;
    const publishedAt = dateOf(document['published_at']);
    return {
      ...place,
      documentId: model.localized ? null : this.#ref,
      locale: model.localized && typeof document['locale'] === 'string' ? document['locale'] : null,
      versions: !model.draftAndPublish ? 'published' : publishedAt === null ? 'draft' : 'both',
      id: null,
      createdAt,
      updatedAt: dateOf(document[updated]) ?? createdAt,
      publishedAt,
      data,
      leftover: this.#leftover,
    };
  }

  #siblings(): readonly SourceRecord[] {
    const { type, fetched } = this.#reading;
    const given = list(this.#document['localizations']);
    if (!type.model.localized || given.length === 0) return [];
    const found: SourceRecord[] = [];
    for (const value of given) {
      const id = idOf(value);
      if (id !== null && fetched.get(type.model.collection, id))
        found.push({ kind: 'siblings', pair: { uid: type.uid, refs: [this.#ref, refOf(id)] } });
      else this.#keep('localizations', value, `localizations → ${String(value)} leads to nothing`, 'link');
    }
    return found;
  }

  /** What stays beside the entry, under its path, and is told. */
  #keep(path: string, value: unknown, why: string, what: Problem['what']): void {
    const before = this.#leftover[path];
    const kept = plain(value);
    this.#leftover[path] =
      before === undefined ? kept : [...(Array.isArray(before) ? before : [before]), kept];
    this.#tell(path, why, what, true);
  }

  #tell(path: string, why: string, what: Problem['what'], kept: boolean): void {
    this.#records.push({ kind: 'problem', problem: { what, at: `${this.#at} ${path}`, why, kept } });
  }

  /** The values of an entry or component; its references become links from `place`. */
  #fields(
    { model, fields }: Known,
    document: ForeignDocument,
    place: SourceKey,
    path: string,
  ): Record<string, unknown> {
    const data: Record<string, unknown> = {};
    for (const [key, { field, schema }] of fields) {
      // What a document lacks Strapi 3 shows with the default of its model.
      const standard = field.as === 'scalar' && field.type !== 'enumeration' ? schema['default'] : undefined;
      const value = key in document ? document[key] : standard;
      if (value === undefined) continue;
      const at = path + key;
      if (field.as === 'scalar' && standard !== undefined && !isCastable(field.type, value)) {
        data[field.name] = standard;
        this.#keep(at, value, `${kindOf(value)} in an attribute of type ${field.type}`, 'value');
      } else if (field.as === 'scalar') {
        const { value: shown, cast } = castValue(field.type, value);
        data[field.name] = shown;
        if (cast) this.#tell(at, `${kindOf(value)} in an attribute of type ${field.type}`, 'value', true);
      } else if (field.as === 'link') this.#links(field, value, place, { at, schema });
      else if (field.as === 'morph') this.#morphs(field.name, value, place, at);
      else if (field.as === 'virtual') {
        if (list(value).length > 0)
          this.#keep(at, value, 'the other side of this relation holds it', 'value');
      } else data[field.name] = this.#components(field, value, at);
    }
    for (const [key, value] of Object.entries(document)) this.#unnamed(model, key, { value, path, fields });
    return data;
  }

  #unnamed(
    { uid, isComponent, localized, timestamps, draftAndPublish }: Known['model'],
    key: string,
    {
      value,
      path,
      fields,
    }: { readonly value: unknown; readonly path: string; readonly fields: Known['fields'] },
  ): void {
    if (fields.has(key) || INTERNAL.has(key)) return;
    if (CREATORS.has(key) && !isComponent) {
      this.#leftover[path + key] = plain(value);
      return;
    }
    if (timestamps?.includes(key) && !isComponent) return;
    if (DERIVED.has(`${uid} ${key}`)) return;
    if (localized && (key === 'locale' || key === 'localizations')) return;
    if (draftAndPublish && key === 'published_at') return;
    this.#keep(path + key, value, 'no attribute of the model has this name', 'value');
  }

  #links(
    field: { readonly name: string; readonly many: boolean; readonly target: string },
    value: unknown,
    from: SourceKey,
    { at, schema }: { readonly at: string; readonly schema: Raw },
  ): void {
    // A polymorphic relation keeps the order of its owner; what only the other side says comes behind.
    const behind = String(schema['relation']).startsWith('morph') ? BEHIND : null;
    if (field.many !== Array.isArray(value) && value !== null)
      this.#tell(
        at,
        field.many ? 'one reference in place of a list' : 'a list in place of one reference',
        'value',
        true,
      );
    const collection = this.#reading.context.byUid.get(field.target)?.model.collection ?? '';
    let position = 0;
    for (const item of list(value)) {
      const id = idOf(item);
      if (id !== null && this.#reading.fetched.get(collection, id)) {
        const to = { uid: field.target, ref: refOf(id) };
        this.#records.push({
          kind: 'link',
          link: { from, field: field.name, to, position, inversePosition: behind },
        });
        position += 1;
        if (typeof item === 'string') this.#tell(at, `the reference ${item} is a text`, 'value', true);
      } else if (item === null || item === undefined)
        this.#tell(at, 'null among the references', 'value', false);
      else this.#keep(at, item, `→ ${field.target} ${String(plain(item))} leads to nothing`, 'link');
    }
  }

  #morphs(name: string, value: unknown, from: SourceKey, at: string): void {
    const { context, fetched } = this.#reading;
    for (const [position, item] of list(value).entries()) {
      const found = kindRef(item);
      const model = found && context.byGlobalId.get(found.kind);
      const target = model && context.types.find((type) => type.model === model);
      if (found && target && fetched.get(model.collection, found.ref)) {
        const to = { uid: target.uid, ref: refOf(found.ref) };
        this.#records.push({
          kind: 'link',
          link: { from, field: name, to, position, inversePosition: null },
        });
      } else
        this.#keep(
          at,
          item,
          found ? `→ ${found.kind} ${refOf(found.ref)} leads to nothing` : 'not a reference',
          'link',
        );
    }
  }

  #components(
    field: {
      readonly as: 'component' | 'zone';
      readonly many: boolean;
      readonly components: readonly string[];
    },
    value: unknown,
    at: string,
  ): unknown {
    const items = list(value).flatMap((item, place) => this.#component(field, item, `${at}/${place}`));
    if (field.many) return items;
    for (const more of items.splice(1))
      this.#keep(at, more, 'more than one item in a single component', 'component');
    return items[0] ?? null;
  }

  #component(
    { as, components }: { readonly as: 'component' | 'zone'; readonly components: readonly string[] },
    item: unknown,
    at: string,
  ): readonly Record<string, unknown>[] {
    const { context, fetched, seen } = this.#reading;
    const found = kindRef(item);
    const model = found && context.byGlobalId.get(found.kind);
    const document = found && model ? fetched.get(model.collection, found.ref) : undefined;
    if (!found || !model || !document) {
      this.#keep(
        at,
        item,
        found ? `the component ${found.kind} ${refOf(found.ref)} is not there` : 'not a component',
        'component',
      );
      return [];
    }
    const collection = seen.get(model.collection) ?? new Set<string>();
    if (collection.has(refOf(found.ref)))
      this.#tell(
        at,
        `${model.uid} ${refOf(found.ref)} has another holder, too: each gets a copy`,
        'component',
        true,
      );
    seen.set(model.collection, collection.add(refOf(found.ref)));
    const component = context.components.get(model.uid);
    if (!component || !components.includes(model.uid)) {
      const why = component
        ? `the component ${model.uid} does not belong here`
        : `the component ${model.uid} was removed from the project`;
      this.#keep(at, document, why, 'component');
      return [];
    }
    const ref = `${refOf(found.ref)} ${this.#ref} ${at}`;
    const fields = this.#fields(component, document, { uid: model.uid, ref }, `${at}/`);
    return [{ ...(as === 'zone' && { __component: model.uid }), id: ref, ...fields }];
  }
}
