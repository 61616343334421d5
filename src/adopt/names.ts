import pluralize from 'pluralize';
import { isRefusedAttribute, REFUSED_ROUTES, snakeCase } from '../schema/names.js';

/** The words of a name. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');

/** With an upper-case first letter. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const uncapitalized = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const camel = ([first = '', ...rest]: readonly string[]): string =>
  [/[a-z]/.test(first) ? uncapitalized(first) : first.toLowerCase(), ...rest.map(capitalized)].join('');

export const kebab = (text: string): string =>
  wordsOf(text)
    .map((word) => word.toLowerCase())
    .join('-');

const PLAIN = /^[A-Za-z][_0-9A-Za-z]*$/;

/**
 * Returns a function that gives each field of a model a valid and unique attribute name: the field's own name
 * if possible.
 */
export function attributeNamer(): (field: string) => string {
  const taken = new Set<string>();
  const free = (name: string): boolean => !taken.has(snakeCase(name));
  return (field) => {
    const plain = PLAIN.test(field) ? field : camel(wordsOf(field));
    const letter = /^[A-Za-z]/.test(plain) ? plain : `field${plain}`;
    const base = isRefusedAttribute(letter) ? `own${capitalized(letter)}` : letter;
    let name = base;
    for (let number = 2; !free(name); number++) name = `${base}${number}`;
    taken.add(snakeCase(name));
    return name;
  };
}

/** The attribute names of the fields of a model. Fields that can keep their own names go first. */
export function attributeNames(fields: readonly string[]): ReadonlyMap<string, string> {
  const nameOf = attributeNamer();
  const [plain, other] = [
    fields.filter((field) => PLAIN.test(field)),
    fields.filter((field) => !PLAIN.test(field)),
  ];
  return new Map([...plain, ...other].map((field) => [field, nameOf(field)]));
}

export interface TypeName {
  readonly singular: string;
  readonly plural: string;
}

/**
 * Returns a function that derives singular and plural names in kebab-case from a collection's name, different
 * from each other and from all names in use.
 */
export function typeNamer(taken: ReadonlySet<string>): (collection: string) => TypeName {
  const used = new Set([...taken, ...REFUSED_ROUTES, 'user', 'role', 'file']);
  return (collection) => {
    const base = /^[a-z]/.test(kebab(collection)) ? kebab(collection) : `collection-${kebab(collection)}`;
    const words = base.replace(/-+$/, '');
    const names = (prefix: string, suffix: string): TypeName => {
      const whole = `${prefix}${words}${suffix}`;
      const [singular, plural] = [pluralize.singular(whole), pluralize.plural(whole)];
      return singular === plural
        ? { singular: `${singular}-item`, plural: `${singular}-items` }
        : { singular, plural };
    };
    const isFree = ({ singular, plural }: TypeName): boolean => !used.has(singular) && !used.has(plural);
    let name = names('', '');
    if (!isFree(name)) name = names('app-', '');
    for (let number = 2; !isFree(name); number++) name = names('', `-${number}`);
    used.add(name.singular).add(name.plural);
    return name;
  };
}

/** The stem of a referring field: `student` for `student_id`, `studentIds` and `student`. */
export const stemOf = (field: string): string => {
  const words = wordsOf(field).map((word) => word.toLowerCase());
  const last = words.at(-1) ?? '';
  const stem =
    words.length > 1 && /^(ids?|refs?|keys?|no|number|oid)$/.test(last) ? words.slice(0, -1) : words;
  return pluralize.singular(stem.join('-'));
};

/** Whether a field's name indicates that it contains an id. */
export const namesId = (field: string): boolean => stemOf(field) !== pluralize.singular(kebab(field));

/** The name of a relation for a stem: `student` or `students`. */
export const relationName = (stem: string, many: boolean): string =>
  camel((many ? pluralize.plural(stem) : stem).split('-'));
