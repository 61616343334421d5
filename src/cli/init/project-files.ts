import { javascript, type Language, typescript } from './language-files.js';
import { sharedFiles } from './shared-files.js';

interface NewProject {
  /** The name of the package and of its database. */
  readonly name: string;
  readonly typescript: boolean;
  /** The dependency on `mangrove` in package.json: a version range, or a path to a package. */
  readonly mangrove: string;
}

/** Every file of a new project, by its path in the project's folder. Pure. */
export function projectFiles(project: NewProject): ReadonlyMap<string, string> {
  const language = project.typescript ? typescript : javascript;
  const words: Readonly<Record<string, string>> = {
    PROJECT_NAME: project.name,
    BUILD_INSTALL: language.dockerInstall,
    BUILD_STEP: language.dockerBuild,
  };
  const fill = (text: string): string =>
    Object.entries(words).reduce((filled, [word, value]) => filled.replaceAll(word, value), text);
  const written = Object.entries({ ...sharedFiles, ...language.files }).map(
    ([path, text]) => [path, fill(text).replaceAll('\n\n\n', '\n\n')] as const,
  );
  return new Map([
    ['package.json', packageJson(project, language)],
    ['.gitignore', `${language.gitignore.join('\n')}\n`],
    ...written,
  ]);
}

const packageJson = ({ name, mangrove }: NewProject, { scripts, devDependencies }: Language): string => {
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts,
    dependencies: { mangrove },
    ...(Object.keys(devDependencies).length > 0 && { devDependencies }),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
};
