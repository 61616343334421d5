import type { Attribute, KeyForm, RelationAttribute, ScalarAttribute, ScalarType } from '../types.js';
import { ADMIN_UID } from '../uids.js';

/**
 * What all system attributes share. `localized`: they belong to each entry, so writes do not copy them to
 * other locales.
 */
const common = {
  required: false,
  unique: false,
  private: false,
  writable: false,
  searchable: true,
  localized: true,
  system: true,
  visibleWhen: null,
  adopted: false,
} as const;

const scalar = (name: string, type: ScalarType, more: Partial<ScalarAttribute> = {}): ScalarAttribute => ({
  ...common,
  kind: 'scalar',
  name,
  stored: name,
  type,
  default: undefined,
  ...more,
});

const relation = (name: string, target: string, more: Partial<RelationAttribute>): RelationAttribute => ({
  ...common,
  kind: 'relation',
  name,
  stored: name,
  link: { local: name, foreign: 'documentId' },
  relation: 'oneToOne',
  target,
  inversedBy: null,
  mappedBy: null,
  morphBy: null,
  many: false,
  owner: true,
  ...more,
});

const creator = (isPrivate: boolean) => ({
  type: 'relation',
  relation: 'oneToOne',
  target: ADMIN_UID,
  configurable: false,
  writable: false,
  visible: false,
  useJoinTable: false,
  private: isPrivate,
});

interface SystemOptions {
  readonly uid: string;
  readonly localized: boolean;
  readonly populateCreatorFields: boolean;
}

/** The attributes that Strapi adds to every content type, as a schema file would declare them. */
export const automaticAttributes = ({
  uid,
  table,
  localized,
  populateCreatorFields,
}: SystemOptions & { readonly table: string }) => ({
  createdAt: { type: 'datetime' },
  updatedAt: { type: 'datetime' },
  publishedAt: { type: 'datetime', configurable: false, writable: true, visible: true },
  createdBy: creator(!populateCreatorFields),
  updatedBy: creator(!populateCreatorFields),
  locale: { writable: true, private: !localized, configurable: false, visible: false, type: 'string' },
  localizations: {
    type: 'relation',
    relation: 'oneToMany',
    target: uid,
    writable: false,
    private: !localized,
    configurable: false,
    visible: false,
    unstable_virtual: true,
    joinColumn: { name: 'document_id', referencedColumn: 'document_id', referencedTable: table },
  },
});

/** The types of the automatic attributes, which a schema file may repeat, as exports of Strapi do. */
export const SYSTEM_TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(
    automaticAttributes({ uid: '', table: '', localized: false, populateCreatorFields: false }),
  ).map(([name, { type }]) => [name, type]),
);

/** The system attributes before and after a content type's own, in the order of Strapi's responses. */
export function systemAttributes(options: SystemOptions): {
  first: readonly Attribute[];
  last: readonly Attribute[];
} {
  const { uid, localized, populateCreatorFields } = options;
  const creator = (name: string) => relation(name, ADMIN_UID, { private: !populateCreatorFields });
  return {
    first: [scalar('id', 'integer'), scalar('documentId', 'string')],
    last: [
      scalar('createdAt', 'datetime'),
      scalar('updatedAt', 'datetime'),
      scalar('publishedAt', 'datetime', { writable: true }),
      scalar('locale', 'string', { writable: true, private: !localized }),
      creator('createdBy'),
      creator('updatedBy'),
      relation('localizations', uid, {
        relation: 'oneToMany',
        many: true,
        owner: false,
        private: !localized,
        link: { local: 'documentId', foreign: 'documentId' },
      }),
    ],
  };
}

/**
 * The system attributes of an adopted collection: `id` and `documentId` are the text of `_id`; timestamps
 * exist if Mangrove maintains them.
 */
export function adoptedAttributes(
  key: KeyForm,
  times: readonly string[],
  path: (name: string) => string,
): { first: readonly Attribute[]; last: readonly Attribute[] } {
  const identity = { stored: '_id', adopted: true, key };
  const time = (name: string) => scalar(name, 'datetime', { stored: path(name), adopted: true });
  return {
    first: [scalar('id', 'string', identity), scalar('documentId', 'string', identity)],
    last: times.map(time),
  };
}

/** The attribute that identifies the items of an adopted list. */
export const adoptedItemId = (path: string): Attribute =>
  scalar('id', 'string', { stored: path, adopted: true, key: 'any' });

/** The only automatic attribute of component items: a numeric id. */
export const componentId: Attribute = scalar('id', 'integer');
