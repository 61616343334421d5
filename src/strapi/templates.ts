/** Comments, `'use strict'`, spaces and semicolons, which do not matter. A file in which this goes wrong is not recognised. */
const bare = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/\/\/ .*$/gm, '')
    .replaceAll('"', "'")
    .replace(/'use strict'/, '')
    .replace(/import\s+type\s+\{\s*Core\s*\}\s+from\s+'@strapi\/strapi'/, '')
    .replace(/\s+|;/g, '')
    .replace(/,(?=[}\]])/g, '');

const FACTORY = 'createCore(?:Router|Controller|Service)';
const UID = "\\('(?<uid>api::[a-z0-9-]+\\.[a-z0-9-]+)'\\)";
const CORE = [
  `^const\\{(?<f>${FACTORY})\\}=require\\('@strapi/strapi'\\)\\.factories\\s*module\\.exports=\\k<f>${UID}$`,
  `^import\\{factories\\}from'@strapi/strapi'exportdefaultfactories\\.${FACTORY}${UID}$`,
].map((text) => new RegExp(text));
const INDEX = /^(?:module\.exports=|exportdefault)\{register\(\)\{\},?(?:bootstrap\(\)\{\})?\}$/;

/** Whether a file is what Strapi generates for a content type, or its `src/index`: it changes nothing. */
export function isTemplate(text: string): boolean {
  const plain = bare(text);
  return INDEX.test(plain) || CORE.some((pattern) => pattern.test(plain));
}
