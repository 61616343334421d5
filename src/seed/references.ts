import type { LinkAttribute } from '../documents/plan/relation-input.js';
import type { ContentType, Schema } from '../schema/types.js';
import { isPlainObject, type PlainObject } from '../values/plain-object.js';
import { SeedError } from './error.js';
import { keyAttributeOf } from './find-type.js';
import { mapLinks, visitLinks } from './links.js';
import type { NamedDocuments } from './names.js';
import type { SeedOptions, SeedRow } from './types.js';

/** A document that a row refers to: the attributes to search, in order, and the text to find. */
interface Named {
  readonly target: ContentType;
  readonly by: readonly string[];
  readonly text: string;
  /** Other members of the link, such as its position or type. */
  readonly rest: PlainObject | null;
}

/** The documentId of a document that a dry run would create. */
export const WOULD_BE = '';

/** Members of a link that do not identify its target. */
const LINK_DETAILS = new Set(['locale', 'position', '__type', 'status']);

/** The data of an entry with references replaced by documentIds. */
export interface Linked {
  readonly data: PlainObject;
  /**
   * Attributes that refer to documents that do not exist yet, with the error messages. They are left out of
   * `data`.
   */
  readonly missing: ReadonlyMap<string, readonly string[]>;
}

export interface References {
  /** Loads what is needed to find the documents that these rows refer to. */
  prepare(rows: readonly SeedRow[]): Promise<void>;
  /** @param files the stored files for items of media attributes */
  link(row: SeedRow, files: ReadonlyMap<unknown, string>): Linked;
}

export function createReferences(schema: Schema, names: NamedDocuments, { keys }: SeedOptions): References {
  const namedBy = (attribute: LinkAttribute, item: unknown): Named | null => {
    if (attribute.kind === 'media') return null;
    const uid = attribute.target ?? (isPlainObject(item) ? item['__type'] : null);
    const target = typeof uid === 'string' ? schema.contentTypes.get(uid) : undefined;
    if (!target || target.storage) return null;
    if (typeof item === 'string') {
      const key = keyAttributeOf(target, keys);
      return { target, by: [...(key === null ? [] : [key]), 'documentId'], text: item, rest: null };
    }
    if (!isPlainObject(item) || 'documentId' in item || 'id' in item) return null;
    const rest = Object.entries(item).filter(([name]) => LINK_DETAILS.has(name));
    const [only, ...others] = Object.entries(item).filter(([name]) => !LINK_DETAILS.has(name));
    if (!only || others.length > 0) return null;
    if (target.attributes.get(only[0])?.kind !== 'scalar')
      throw new SeedError(`${attribute.name}: ${target.uid} has no attribute ${only[0]} to refer to it by`);
    return { target, by: [only[0]], text: String(only[1]), rest: Object.fromEntries(rest) };
  };

  return {
    async prepare(rows) {
      const wanted = new Map<string, readonly [ContentType, string]>();
      for (const row of rows)
        visitLinks(schema, row, (attribute, item) => {
          const named = namedBy(attribute, item);
          for (const by of named?.by ?? [])
            if (named) wanted.set(`${named.target.uid} ${by}`, [named.target, by]);
        });
      await Promise.all([...wanted.values()].map(([type, by]) => names.load(type, by)));
    },
    link(row, files) {
      const missing = new Map<string, readonly string[]>();
      const data: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(row.data)) {
        const attribute = row.type.attributes.get(name);
        let wouldBe = false;
        const linked = attribute
          ? mapLinks(schema, attribute, value, (link, item) => {
              if (link.kind === 'media') {
                const file = files.get(item);
                wouldBe ||= file === WOULD_BE;
                return file ?? item;
              }
              const named = namedBy(link, item);
              if (!named) return item;
              const found = named.by
                .map((by) => names.find(named.target, by, named.text))
                .find((id) => id !== undefined);
              if (found === undefined)
                missing.set(name, [
                  ...(missing.get(name) ?? []),
                  `${name}: no ${named.target.uid} has ${named.by[0]} "${named.text}"`,
                ]);
              wouldBe ||= found === WOULD_BE;
              return named.rest ? { ...named.rest, documentId: found } : found;
            })
          : value;
        if (!missing.has(name) && !wouldBe) data[name] = linked;
      }
      return { data, missing };
    },
  };
}
