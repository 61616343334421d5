import { EJSON } from 'bson';
import type { ForeignDocument } from '../../store/transfer/foreign.js';
import { memberOf } from '../../values/once-per.js';
import type { PlainObject } from '../../values/plain-object.js';
import {
  type ImportProblem,
  lost,
  moved,
  noted,
  type SourceEntry,
  type SourceKey,
  type SourceRecord,
} from '../source/types.js';
import { castValue, dateOf, isCastable, kindInWords, plain } from './cast.js';
import type { Known, Strapi3 } from './context.js';
import { BEHIND, CREATORS, DERIVED, EXTRA_FIELDS_KEY, type Field, INTERNAL } from './fields.js';
import { type Fetched, kindRef, list, objectIdOf, referenceText, type Seen } from './references.js';

interface Reading {
  readonly context: Strapi3;
  readonly type: Known;
  readonly fetched: Fetched;
  readonly seen: Seen;
}

/**
 * What the document has and its entry or component item has no place for, under its own names: fields without
 * an attribute, values that lose something when they are cast.
 */
type Leftover = Record<string, unknown>;

/** The target of a document's fields. */
interface ReadingPlace {
  readonly key: SourceKey;
  /** Prefix of its field names in messages. */
  readonly path: string;
  readonly leftover: Leftover;
  /** The enclosing components. */
  readonly within: readonly ForeignDocument[];
}

/** Reads one document. */
export class EntryReader {
  readonly #reading: Reading;
  readonly #document: ForeignDocument;
  readonly #records: SourceRecord[] = [];
  readonly #leftover: Leftover = {};
  readonly #at: string;
  readonly #ref: string;

  constructor(reading: Reading, document: ForeignDocument) {
    this.#reading = reading;
    this.#document = document;
    this.#ref = referenceText(document['_id']);
    this.#at = `${reading.type.uid} ${this.#ref}`;
  }

  records(): readonly SourceRecord[] {
    const { type } = this.#reading;
    const key: SourceKey = { uid: type.uid, ref: this.#ref };
    const data = this.#fields(type, this.#document, {
      key,
      path: '',
      leftover: this.#leftover,
      within: [],
    });
    const siblings = this.#siblings();
    return [{ kind: 'entry', entry: this.#entry(key, data) }, ...siblings, ...this.#records];
  }

  #entry(place: SourceKey, data: Record<string, unknown>): SourceEntry {
    const { model } = this.#reading.type;
    const document = this.#document;
    const id = objectIdOf(document['_id']);
    const made = id === null ? null : id.getTimestamp();
    // The document can get the id of only one of its locales.
    if (model.localized) this.#leftover['_id'] = this.#ref;
    const [created = '', updated = ''] = model.timestamps ?? [];
    const createdAt = dateOf(document[created]) ?? made;
    const isOwn = this.#reading.type.fields.has('published_at');
    const publishedAt = isOwn ? null : dateOf(document['published_at']);
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
      const id = objectIdOf(value);
      if (id !== null && fetched.get(type.model.collection, id))
        found.push({ kind: 'siblings', pair: { uid: type.uid, refs: [this.#ref, referenceText(id)] } });
      else this.#lose('localizations', `localizations → ${String(value)} does not exist`, 'link');
    }
    return found;
  }

  /** Keeps a value beside its holder and reports it. */
  #keep(
    { path, leftover }: Pick<ReadingPlace, 'path' | 'leftover'>,
    name: string,
    {
      value,
      why,
      what,
    }: { readonly value: unknown; readonly why: string; readonly what: ImportProblem['what'] },
  ): void {
    const before = leftover[name];
    const kept = plain(value);
    leftover[name] = before === undefined ? kept : [...(Array.isArray(before) ? before : [before]), kept];
    this.#note(path + name, why, what);
  }

  #note(path: string, why: string, what: ImportProblem['what']): void {
    this.#records.push(noted(moved(what, `${this.#at} ${path}`, why)));
  }

  /** Reports what is not imported. */
  #lose(path: string, why: string, what: ImportProblem['what']): void {
    this.#records.push(noted(lost(what, `${this.#at} ${path}`, why)));
  }

  /** Reads the values of an entry or component; its references become links. */
  #fields({ model, fields }: Known, document: ForeignDocument, place: ReadingPlace): Record<string, unknown> {
    const data: Record<string, unknown> = {};
    const { leftover } = place;
    if (typeof document['__v'] === 'number') leftover['__v'] = document['__v'];
    for (const [key, { field, schema }] of fields) {
      // For a missing field, Strapi 3 returns the default of the model.
      const standard = field.as === 'scalar' && field.type !== 'enumeration' ? schema['default'] : undefined;
      const value = key in document ? document[key] : standard;
      if (value === undefined) continue;
      const at = place.path + key;
      if (field.as === 'scalar' && standard !== undefined && !isCastable(field.type, value)) {
        data[field.name] = standard;
        const why = `${kindInWords(value)} in an attribute of type ${field.type}`;
        this.#keep(place, key, { value, why, what: 'value' });
      } else if (field.as === 'scalar') {
        const cast = castValue(field.type, value);
        data[field.name] = cast.value;
        if (cast.cast) {
          if (!hasSameText(value, cast.value)) leftover[field.name] = value;
          this.#note(at, `${kindInWords(value)} in an attribute of type ${field.type}`, 'value');
        }
      } else if (field.as === 'link') {
        const leads = this.#links(field, value, place, { key, schema });
        // As for scalars, null is not the same as missing; a reference that leads nowhere is null.
        if (!leads && (!field.many || value === null)) data[field.name] = null;
      } else if (field.as === 'morph') this.#morphs(field.name, value, place, key);
      else if (field.as === 'virtual') {
        for (const item of list(value))
          this.#lose(at, `${arrow(item)} is stored on the other side of this relation`, 'link');
      } else data[field.name] = this.#components(field, value, place, key);
    }
    for (const [key, value] of Object.entries(document)) this.#unnamed({ model, fields }, key, value, place);
    return data;
  }

  #unnamed(
    { model, fields }: Pick<Known, 'model' | 'fields'>,
    key: string,
    value: unknown,
    place: ReadingPlace,
  ): void {
    const { uid, isComponent, localized, timestamps, draftAndPublish } = model;
    if (fields.has(key) || INTERNAL.has(key)) return;
    if (CREATORS.has(key) && !isComponent) {
      place.leftover[key] = model.populateCreatorFields ? this.#creator(value) : plain(value);
      return;
    }
    if (timestamps?.includes(key) && !isComponent) return;
    if (DERIVED.has(`${uid} ${key}`)) return;
    if (localized && key === 'localizations') return;
    if (localized && key === 'locale') {
      if (typeof value !== 'string' && value !== null)
        this.#keep(place, key, { value, why: `${kindInWords(value)} is not a locale`, what: 'value' });
      return;
    }
    if (draftAndPublish && key === 'published_at') return;
    this.#keep(place, key, { value, why: 'no attribute of the model has this name', what: 'value' });
  }

  /** The administrator as Strapi 3 can be configured to return them; otherwise only the id. */
  #creator(value: unknown): unknown {
    const { context, fetched } = this.#reading;
    const id = objectIdOf(value);
    const found = id === null ? undefined : fetched.get(context.administrators, id);
    if (!found) return plain(value);
    const { username = null, firstname, lastname, __v } = found;
    return { _id: referenceText(id), ...(plain({ username, firstname, lastname, __v }) as object) };
  }

  #links(
    field: Extract<Field, { as: 'link' }>,
    value: unknown,
    place: ReadingPlace,
    { key, schema }: { readonly key: string; readonly schema: PlainObject },
  ): boolean {
    // A polymorphic relation keeps the order of its owner; links known only from the other side come last.
    const behind = String(schema['relation']).startsWith('morph') ? BEHIND : null;
    const at = place.path + key;
    if (field.many !== Array.isArray(value) && value !== null)
      this.#note(
        at,
        field.many ? 'a single reference instead of a list' : 'a list instead of a single reference',
        'value',
      );
    const collection = this.#reading.context.byUid.get(field.target)?.model.collection ?? '';
    let position = 0;
    for (const item of list(value)) {
      const id = objectIdOf(item);
      if (id !== null && this.#reading.fetched.get(collection, id)) {
        const to = { uid: field.target, ref: referenceText(id) };
        this.#records.push({
          kind: 'link',
          link: { from: place.key, field: field.name, to, position, inversePosition: behind },
        });
        position += 1;
        if (typeof item === 'string') this.#note(at, `the reference ${item} is a string`, 'value');
      } else if (item === null || item === undefined)
        this.#note(at, 'null in the list of references', 'value');
      else if (id === null) this.#lose(at, `${arrow(item)} is not a reference`, 'link');
      else this.#lose(at, `→ ${field.target} ${referenceText(id)} does not exist`, 'link');
    }
    return position > 0;
  }

  #morphs(name: string, value: unknown, place: ReadingPlace, key: string): void {
    const { context, fetched } = this.#reading;
    for (const [position, item] of list(value).entries()) {
      const found = kindRef(item);
      const model = found && context.byGlobalId.get(found.kind);
      const target = model && context.types.find((type) => type.model === model);
      if (found && target && fetched.get(model.collection, found.ref)) {
        const to = { uid: target.uid, ref: referenceText(found.ref) };
        this.#records.push({
          kind: 'link',
          link: { from: place.key, field: name, to, position, inversePosition: null },
        });
      } else {
        const why = found
          ? `→ ${found.kind} ${referenceText(found.ref)} does not exist`
          : `${arrow(item)} is not a reference`;
        this.#lose(place.path + key, why, 'link');
      }
    }
  }

  #components(field: ItemsField, value: unknown, place: ReadingPlace, key: string): unknown {
    if (value === null) return null;
    const items = list(value).flatMap((item, number) =>
      this.#component(field, item, place, `${key}/${number}`),
    );
    if (field.many) return items;
    for (const more of items.splice(1))
      this.#keep(place, key, {
        value: more,
        why: 'more than one item in a single component',
        what: 'component',
      });
    return items[0] ?? null;
  }

  #component(
    { as, components }: ItemsField,
    item: unknown,
    place: ReadingPlace,
    name: string,
  ): readonly Record<string, unknown>[] {
    const { context, fetched, seen } = this.#reading;
    const at = place.path + name;
    const found = kindRef(item);
    const model = found && context.byGlobalId.get(found.kind);
    const document = found && model ? fetched.get(model.collection, found.ref) : undefined;
    const inItself = document !== undefined && place.within.includes(document);
    if (!found || !model || !document || inItself) {
      if (found) {
        const gone = inItself ? 'holds itself' : 'is not there';
        this.#lose(at, `the component ${found.kind} ${referenceText(found.ref)} ${gone}`, 'component');
      } else this.#keep(place, name, { value: item, why: 'not a component', what: 'component' });
      return [];
    }
    const held = memberOf(seen, model.collection, () => new Set());
    if (held.has(referenceText(found.ref)))
      this.#note(
        at,
        `${model.uid} ${referenceText(found.ref)} has another owner: each gets a copy`,
        'component',
      );
    held.add(referenceText(found.ref));
    const component = context.components.get(model.uid);
    if (!component || !components.includes(model.uid)) {
      const why = component
        ? `the component ${model.uid} does not belong here`
        : `the component ${model.uid} was removed from the project`;
      this.#keep(place, name, { value: document, why, what: 'component' });
      return [];
    }
    const ref = `${referenceText(found.ref)} ${this.#ref} ${at}`;
    const leftover: Leftover = { _id: referenceText(found.ref) };
    const key = { uid: model.uid, ref };
    const fields = this.#fields(component, document, {
      key,
      path: `${at}/`,
      leftover,
      within: [...place.within, document],
    });
    return [
      { ...(as === 'zone' && { __component: model.uid }), id: ref, ...fields, [EXTRA_FIELDS_KEY]: leftover },
    ];
  }
}

/** Whether a cast value still says all of the old one. */
const hasSameText = (old: unknown, cast: unknown): boolean =>
  !(old instanceof Date) && String(old) === String(cast);

/** What a reference leads to, for messages. */
const arrow = (item: unknown): string =>
  `→ ${objectIdOf(item)?.toHexString() ?? EJSON.stringify(plain(item))}`;

type ItemsField = Extract<Field, { as: 'component' | 'zone' }>;
