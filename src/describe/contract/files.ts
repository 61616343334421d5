/** The actual types of file members that are JSON in the schema. */
import type { Describing } from './describing.js';
import { integer, number, openRecord, orNull, record, text } from './json-schema.js';
import type { JsonSchema } from './types.js';

const FORMAT_NAMES = ['thumbnail', 'small', 'medium', 'large'];

const formatSchema: JsonSchema = openRecord(
  {
    name: text,
    hash: text,
    ext: text,
    mime: text,
    path: orNull(text),
    width: integer,
    height: integer,
    size: { ...number, description: 'Kilobytes' },
    sizeInBytes: integer,
    url: text,
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

const focalPoint = ({ named }: Describing): JsonSchema => orNull(named('FocalPoint', () => focalPointSchema));

/** Percentages of width and height. */
const focalPointSchema: JsonSchema = record({
  x: { ...number, minimum: 0, maximum: 100 },
  y: { ...number, minimum: 0, maximum: 100 },
});

export const FILE_MEMBERS: Readonly<Record<string, (describing: Describing) => JsonSchema>> = {
  formats,
  focalPoint,
  size: () => ({ ...number, description: 'Kilobytes' }),
  url: () => ({ ...text, description: 'Relative to the server, or a full URL' }),
};

/** The information that can be sent with an upload; other members are dropped. */
const fileInfoSchema: JsonSchema = openRecord(
  {
    name: text,
    alternativeText: orNull(text),
    caption: orNull(text),
    focalPoint: orNull(focalPointSchema),
  },
  [],
);

export const fileInfo = ({ named }: Describing): JsonSchema => named('FileInfo', () => fileInfoSchema);
