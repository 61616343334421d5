/** The actual types of file members that are JSON in the schema. */
import type { Describing } from './describing.js';
import {
  integerSchema,
  numberSchema,
  objectOf,
  openObjectOf,
  schemaOrNull,
  stringSchema,
} from './json-schema.js';
import type { JsonSchema } from './types.js';

const FORMAT_NAMES = ['thumbnail', 'small', 'medium', 'large'];

const formatSchema: JsonSchema = openObjectOf(
  {
    name: stringSchema,
    hash: stringSchema,
    ext: stringSchema,
    mime: stringSchema,
    path: schemaOrNull(stringSchema),
    width: integerSchema,
    height: integerSchema,
    size: { ...numberSchema, description: 'Kilobytes' },
    sizeInBytes: integerSchema,
    url: stringSchema,
  },
  ['name', 'hash', 'ext', 'mime', 'width', 'height', 'size', 'url'],
);

const formats = ({ named, config }: Describing): JsonSchema => {
  const one = named('UploadFileFormat', () => formatSchema);
  const names = new Set([...FORMAT_NAMES, ...Object.keys(config.plugins.upload.breakpoints)]);
  return {
    type: ['object', 'null'],
    description: 'Smaller versions of an image',
    properties: Object.fromEntries([...names].map((name) => [name, one])),
  };
};

const focalPoint = ({ named }: Describing): JsonSchema =>
  schemaOrNull(named('FocalPoint', () => focalPointSchema));

/** Percentages of width and height. */
const focalPointSchema: JsonSchema = objectOf({
  x: { ...numberSchema, minimum: 0, maximum: 100 },
  y: { ...numberSchema, minimum: 0, maximum: 100 },
});

export const FILE_MEMBERS: Readonly<Record<string, (describing: Describing) => JsonSchema>> = {
  formats,
  focalPoint,
  size: () => ({ ...numberSchema, description: 'Kilobytes' }),
  url: () => ({ ...stringSchema, description: 'Relative to the server, or a full URL' }),
};

/** The information that can be sent with an upload; other members are dropped. */
const fileInfoSchema: JsonSchema = openObjectOf(
  {
    name: stringSchema,
    alternativeText: schemaOrNull(stringSchema),
    caption: schemaOrNull(stringSchema),
    focalPoint: schemaOrNull(focalPointSchema),
  },
  [],
);

export const fileInfo = ({ named }: Describing): JsonSchema => named('FileInfo', () => fileInfoSchema);
