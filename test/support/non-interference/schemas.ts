/**
 * Content types in which everything that can be hidden from a caller is one step away from something visible: drafts,
 * drafts of another locale, private attributes and passwords, entries of types without a grant, accounts, files.
 */
import { type Attributes, componentFile, typeFile } from '../schemas.js';

const localized = { pluginOptions: { i18n: { localized: true } } };
const hidden = { private: true };

const to = (relation: string, target: string, more: object = {}): object => ({
  type: 'relation',
  relation,
  target: target.includes(':') ? target : `api::${target}.${target}`,
  ...more,
});

const part: Attributes = {
  label: { type: 'string' },
  size: { type: 'integer' },
  memo: { type: 'string', ...hidden },
  tag: to('oneToOne', 'tag'),
  notes: to('oneToMany', 'note'),
  vault: to('oneToOne', 'vault'),
};

const seo: Attributes = {
  metaTitle: { type: 'string' },
  robots: { type: 'string', ...hidden },
  image: { type: 'media', multiple: false },
  inner: { type: 'component', component: 'box.part', repeatable: false },
};

const note: Attributes = {
  title: { type: 'string', ...localized },
  body: { type: 'text', ...localized },
  num: { type: 'integer', ...localized },
  price: { type: 'decimal' },
  day: { type: 'date' },
  flag: { type: 'boolean' },
  kind: { type: 'enumeration', enum: ['old', 'new', 'odd'] },
  data: { type: 'json' },
  slug: { type: 'uid', targetField: 'title' },
  secret: { type: 'string', ...hidden, ...localized },
  rank: { type: 'integer', ...hidden },
  pin: { type: 'password', encryption: { rounds: 4 } },
  tags: to('manyToMany', 'tag', { inversedBy: 'notes' }),
  closed: to('oneToMany', 'tag', hidden),
  author: to('manyToOne', 'person', { inversedBy: 'notes' }),
  vault: to('manyToOne', 'vault', { inversedBy: 'notes' }),
  similar: to('oneToMany', 'note'),
  shelves: to('oneToMany', 'shelf', { mappedBy: 'note' }),
  seo: { type: 'component', component: 'box.seo', repeatable: false, ...localized },
  parts: { type: 'component', component: 'box.part', repeatable: true, ...localized },
  zone: { type: 'dynamiczone', components: ['box.part', 'box.seo'], ...localized },
  cover: { type: 'media', multiple: false },
  gallery: { type: 'media', multiple: true },
  scan: { type: 'media', multiple: false, ...hidden },
};

const tag: Attributes = {
  name: { type: 'string' },
  weight: { type: 'integer' },
  code: { type: 'string', ...hidden },
  notes: to('manyToMany', 'note', { mappedBy: 'tags' }),
  parent: to('manyToOne', 'tag', { inversedBy: 'children' }),
  children: to('oneToMany', 'tag', { mappedBy: 'parent' }),
  crates: to('oneToMany', 'crate', { mappedBy: 'tag' }),
};

const shelf: Attributes = {
  label: { type: 'string' },
  place: { type: 'integer' },
  note: to('manyToOne', 'note', { inversedBy: 'shelves' }),
  notes: to('manyToMany', 'note'),
  vault: to('manyToOne', 'vault'),
  owner: to('manyToOne', 'plugin::users-permissions.user'),
  part: { type: 'component', component: 'box.part', repeatable: false },
  crate: to('manyToOne', 'crate', { inversedBy: 'shelves' }),
};

/** In a collection of another program. */
const crate: Attributes = {
  name: { type: 'string' },
  size: { type: 'integer' },
  memo: { type: 'string', ...hidden },
  tag: to('manyToOne', 'tag', { inversedBy: 'crates' }),
  shelves: to('oneToMany', 'shelf', { mappedBy: 'crate' }),
};

const person: Attributes = {
  name: { type: 'string' },
  age: { type: 'integer' },
  mail: { type: 'email', ...hidden },
  notes: to('oneToMany', 'note', { mappedBy: 'author' }),
};

const vault: Attributes = {
  key: { type: 'string' },
  amount: { type: 'integer' },
  notes: to('oneToMany', 'note', { mappedBy: 'vault' }),
};

const front: Attributes = {
  heading: { type: 'string' },
  secret: { type: 'string', ...hidden },
  featured: to('oneToMany', 'note'),
  parts: { type: 'component', component: 'box.part', repeatable: true },
};

const mark: Attributes = {
  word: { type: 'string' },
  on: { type: 'relation', relation: 'morphToOne' },
  about: { type: 'relation', relation: 'morphToMany' },
};

const drafts = { draftAndPublish: true };
/** Notes and people keep versions: what is hidden of an entry is hidden in each of them. */
const kept = { options: { history: { count: 50 } } };

export const FILES = [
  componentFile('box.part', part),
  componentFile('box.seo', seo),
  typeFile('note', note, { ...drafts, localized: true, ...kept }),
  typeFile('tag', tag),
  typeFile('shelf', shelf, {
    file: { info: { singularName: 'shelf', pluralName: 'shelves', displayName: 'Shelf' } },
  }),
  typeFile('person', person, kept),
  typeFile('vault', vault, drafts),
  typeFile('front', front, { ...drafts, kind: 'singleType' }),
  typeFile('mark', mark),
  typeFile('crate', crate, {
    file: { pluginOptions: { mangrove: { storage: { collection: 'their_crates', id: 'string' } } } },
  }),
].map((file) => ({ ...file, file: `content-types/${file.file}` }));
