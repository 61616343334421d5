/** The nodes of a `blocks` attribute (rules D.7). */
import type { Describing } from './describing.js';
import {
  exactly,
  flag,
  integer,
  listOf,
  nameIn,
  oneOfNamed,
  openRecord,
  orNull,
  text,
} from './json-schema.js';
import type { JsonSchema, Schemas } from './types.js';

const node = (type: string, properties: Schemas, optional: readonly string[] = []): JsonSchema =>
  openRecord(
    { type: exactly(type), ...properties },
    ['type', ...Object.keys(properties)].filter((name) => !optional.includes(name)),
  );

const IMAGE_TEXT = ['name', 'url', 'hash', 'ext', 'mime', 'provider', 'createdAt', 'updatedAt'];
const IMAGE_NUMBER = ['width', 'height', 'size'];
const IMAGE_NULLABLE = ['alternativeText', 'caption', 'previewUrl'];
const same = (names: readonly string[], schema: JsonSchema): Schemas =>
  Object.fromEntries(names.map((name) => [name, schema]));

const image = openRecord(
  {
    ...same(IMAGE_TEXT, text),
    ...same(IMAGE_NUMBER, { type: 'number' }),
    ...same(IMAGE_NULLABLE, orNull(text)),
  },
  [...IMAGE_TEXT, ...IMAGE_NUMBER],
);

/** A reference to `Block`, a union of all kinds by their `type`. */
export function blockSchema({ named }: Describing): JsonSchema {
  const part = (name: string, make: () => JsonSchema): JsonSchema => named(name, `blocks:${name}`, make);
  const union = (members: Readonly<Record<string, JsonSchema>>): JsonSchema =>
    oneOfNamed('type', new Map(Object.entries(members).map(([type, member]) => [type, nameIn(member)])));
  const words = part('BlockText', () => node('text', { text, ...same(MARKS, flag) }, MARKS));
  const link = part('BlockLink', () => node('link', { url: text, children: listOf(words) }));
  const inline = part('BlockInline', () => union({ text: words, link }));
  const some = listOf(inline, { minItems: 1 });
  const item = part('BlockListItem', () => node('list-item', { children: listOf(inline) }));
  const list = (): JsonSchema =>
    part('BlockList', () =>
      node('list', {
        format: { ...text, enum: ['ordered', 'unordered'] },
        children: listOf(
          part('BlockListChild', () => union({ 'list-item': item, list: list() })),
          { minItems: 1 },
        ),
      }),
    );
  return part('Block', () =>
    union({
      paragraph: part('BlockParagraph', () => node('paragraph', { children: some })),
      heading: part('BlockHeading', () =>
        node('heading', { level: { ...integer, minimum: 1, maximum: 6 }, children: some }),
      ),
      quote: part('BlockQuote', () => node('quote', { children: some })),
      code: part('BlockCode', () =>
        node('code', { language: orNull(text), children: listOf(words, { minItems: 1 }) }, ['language']),
      ),
      list: list(),
      image: part('BlockImage', () => node('image', { image, children: listOf(inline) })),
    }),
  );
}

const MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'code'];
