import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { errors } from '../../errors.js';
import { codeOf } from '../../values/code-of.js';
import { packageVersion } from '../../values/package-version.js';
import { type CommandLine, command } from '../command.js';
import { projectFiles } from '../init/project-files.js';

interface Options {
  readonly typescript?: boolean;
  readonly package?: string;
  readonly dryRun?: boolean;
}

/** `mangrove init`: creates a small project. */
export const init = command({
  name: 'init <folder>',
  does: 'create a project: one content type, roles, a seed, code, a test, a Dockerfile',
  options: [
    ['--typescript', 'code and test in TypeScript'],
    ['--package <spec>', 'the mangrove dependency in package.json: a version, or a path to a package'],
    ['--dry-run', 'list the files, without writing them'],
  ],
  help: `
The folder is created if missing, and must otherwise be empty. Then npm install and npm start serve the project.

Examples:
  $ npx mangrove init my-content
  $ npx mangrove init my-content --typescript`,
  async run({ options, json }: CommandLine<Options>, folder: string) {
    const { typescript = false, package: mangrove = `^${packageVersion()}`, dryRun = false } = options;
    const target = resolve(folder);
    await assertEmpty(target);
    const files = projectFiles({ name: packageName(target), typescript, mangrove });
    if (!dryRun)
      for (const [path, text] of files) {
        await mkdir(dirname(join(target, path)), { recursive: true });
        await writeFile(join(target, path), text);
      }
    const place = relative(process.cwd(), target) || '.';
    const names = [...files.keys()];
    return {
      data: { folder: target, files: names, dryRun },
      text: names.join('\n'),
      ...(!json && { next: dryRun ? `Nothing was written to ${place}.` : nextSteps(place) }),
    };
  },
});

const nextSteps = (folder: string): string => `
The project is in ${folder}. Next:

  cd ${folder}
  npm install
  npm start
`;

/** A name that both npm and MongoDB accept: lower case, with hyphens for all other characters. */
function packageName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name === '' || name === 'mangrove' ? 'my-content' : name;
}

/** @throws ApiError if the folder is not empty, so that no files are overwritten */
async function assertEmpty(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: unknown) => {
    const code = codeOf(error);
    if (code === 'ENOENT') return [];
    throw errors.application(
      'folder-not-usable',
      code === 'ENOTDIR' ? `${folder} is a file, not a folder` : `${folder} cannot be read: ${code}`,
    );
  });
  const inTheWay = found.filter((name) => name !== '.git');
  if (inTheWay.length > 0)
    throw errors.application(
      'folder-not-empty',
      `${folder} must be empty; it contains ${inTheWay.slice(0, 3).join(', ')}`,
    );
}
