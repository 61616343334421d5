/** The structure of a `blocks` value, validated on every write, including drafts. */

import { type AjvSchema, ifThen } from './json-schema.js';

const text = { type: 'string' };
const nullableText = { type: ['string', 'null'] };
const requiredText = { type: 'string', minLength: 1, messages: { minLength: '{field} is a required field' } };
const flag = { type: 'boolean' };
const ref = (name: string): AjvSchema => ({ $ref: `#/definitions/${name}` });

const allowedProtocol = /^(?:\/|(?:https?|ftp):\/\/[^\s]+$|mailto:[^\s]+$|tel:[^\s]+$)/i;

const node = (
  properties: Readonly<Record<string, AjvSchema>>,
  required: readonly string[],
  messages: Readonly<Record<string, string>> = {},
): AjvSchema => ({
  type: 'object',
  properties,
  required,
  messages: { required: '{field} is a required field', ...messages },
});

const list = (items: AjvSchema, atLeastOne?: string): AjvSchema => ({
  type: 'array',
  items,
  ...(atLeastOne ? { minItems: 1, messages: { minItems: atLeastOne } } : {}),
});

/** Selects the definition for a node by its `type`. */
const byType = (words: string, definitions: Readonly<Record<string, string>>): AjvSchema => ({
  nodeType: Object.keys(definitions),
  messages: { nodeType: words },
  allOf: Object.entries(definitions).map(([type, name]) =>
    ifThen({ type: 'object', properties: { type: { const: type } }, required: ['type'] }, ref(name)),
  ),
});

const imageFields = ['name', 'url', 'hash', 'ext', 'mime', 'provider', 'createdAt', 'updatedAt'];
const imageNumbers = ['width', 'height', 'size'];

const image: AjvSchema = node(
  {
    ...Object.fromEntries(imageFields.map((name) => [name, requiredText])),
    ...Object.fromEntries(imageNumbers.map((name) => [name, { numeric: 'required' }])),
    ...Object.fromEntries(['alternativeText', 'caption', 'previewUrl'].map((name) => [name, nullableText])),
  },
  [...imageFields, ...imageNumbers],
);

const inline = list(ref('inline'));
const atLeastOneInline = (owner: string): AjvSchema =>
  list(ref('inline'), `${owner} node children must have at least one Text or Link node`);

const definitions: Readonly<Record<string, AjvSchema>> = {
  block: byType('Block node is of invalid type', {
    paragraph: 'paragraph',
    heading: 'heading',
    quote: 'quote',
    code: 'code',
    list: 'list',
    image: 'imageBlock',
  }),
  inline: byType('Inline node must be Text or Link', { text: 'text', link: 'link' }),
  listChild: byType('Inline node must be list-item or list', { 'list-item': 'listItem', list: 'list' }),
  text: node({ text, bold: flag, italic: flag, underline: flag, strikethrough: flag, code: flag }, ['text'], {
    required: 'Text must be defined with at least an empty string',
  }),
  link: node(
    {
      url: { ...text, matches: allowedProtocol, messages: { matches: 'Please specify a valid link.' } },
      children: list(ref('text')),
    },
    ['url', 'children'],
    { 'required:url': 'Please specify a valid link.' },
  ),
  paragraph: node({ children: atLeastOneInline('Paragraph') }, ['children']),
  heading: node(
    { level: { numeric: 'required', enum: [1, 2, 3, 4, 5, 6] }, children: atLeastOneInline('Heading') },
    ['level', 'children'],
  ),
  quote: node({ children: atLeastOneInline('Quote') }, ['children']),
  code: node(
    {
      language: nullableText,
      children: list(ref('text'), 'Quote node children must have at least one Text or Link node'),
    },
    ['children'],
  ),
  list: node(
    {
      format: { enum: ['ordered', 'unordered'] },
      children: list(ref('listChild'), 'List node children must have at least one ListItem or ListNode'),
    },
    ['format', 'children'],
  ),
  listItem: node({ children: inline }, ['children']),
  imageBlock: node({ image, children: inline }, ['image', 'children']),
};

/** Registered once under this id; attributes of type `blocks` refer to it. */
export const blocksSchema: AjvSchema = { $id: 'mangrove:/blocks', definitions };
