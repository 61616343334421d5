/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The root element is expected within the first bytes, after comments and the like. */
const HEAD_BYTES = 64 * 1024;

/** Pixels per unit of a length, as in CSS. */
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 96 / 72,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
};

/** Space, an instruction, a comment or a DTD before the root element. */
const PROLOG = /[\s\ufeff]+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>[]*(?:\[.*?\]\s*)?>/sy;
const ROOT = /<(?:[\w.-]{1,50}:)?svg(?=[\s/>])/y;
const ATTRIBUTE = /\s+([\w:.-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;

/** Where a sticky pattern that matches at `from`, as often as it does, ends. */
const endOf = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from;
  let end = from;
  while (pattern.test(text)) end = pattern.lastIndex;
  return end;
};

/** The attributes of the root element; null if the text is no drawing. */
const rootAttributes = (text: string): ReadonlyMap<string, string> | null => {
  ROOT.lastIndex = endOf(PROLOG, text, 0);
  if (!ROOT.test(text)) return null;
  const found = new Map<string, string>();
  ATTRIBUTE.lastIndex = ROOT.lastIndex;
  for (let match = ATTRIBUTE.exec(text); match; match = ATTRIBUTE.exec(text)) {
    const [, name = '', quoted, single = ''] = match;
    found.set(name, quoted ?? single);
  }
  return found;
};

/** Pixels of a length; null if it is missing, relative or malformed. */
const pixels = (length: string | undefined): number | null => {
  const [, digits, unit = ''] =
    /^\s*\+?(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})([a-z]{0,2})\s*$/.exec(length ?? '') ?? [];
  const factor = UNITS[unit];
  return digits === undefined || factor === undefined ? null : Number(digits) * factor;
};

/** Width and height of a `viewBox`. */
const boxOf = (viewBox: string | undefined): readonly [number | null, number | null] => {
  const [, , width, height] = (viewBox ?? '')
    .slice(0, 200)
    .trim()
    .split(/[\s,]+/);
  return [pixels(width), pixels(height)];
};

/**
 * Width and height of a drawing in pixels, read from the first tag of its text: nothing of it is drawn, which
 * could take any time. What is missing follows from the `viewBox`; null if that is missing, too.
 */
export const svgSize = (bytes: Buffer): Size | null => {
  const attributes = rootAttributes(bytes.toString('utf8', 0, HEAD_BYTES));
  if (!attributes) return null;
  const [boxWidth, boxHeight] = boxOf(attributes.get('viewBox'));
  const ratio = boxWidth && boxHeight ? boxWidth / boxHeight : null;
  const [givenWidth, givenHeight] = [pixels(attributes.get('width')), pixels(attributes.get('height'))];
  const width = givenWidth ?? (givenHeight !== null && ratio ? givenHeight * ratio : boxWidth);
  const height = givenHeight ?? (givenWidth !== null && ratio ? givenWidth / ratio : boxHeight);
  return width === null || height === null ? null : { width: Math.round(width), height: Math.round(height) };
};
