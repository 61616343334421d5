import { reasonOf } from '../values/reason-of.js';
import type { LoadFile } from './modules.js';
import { type CodeFile, type CodeKind, isCallable } from './types.js';
import { fail, Unsupported } from './unsupported.js';

type Loaded = { readonly value: unknown } | { readonly error: Unsupported };

/** The project's files by what they are for: loaded at once, made when they are first asked for. */
export class Registry {
  private readonly loaded: Map<string, Loaded>;
  private readonly made = new Map<string, unknown>();
  private readonly list: CodeFile[];

  /** @param like has loaded the files */
  constructor(files: readonly CodeFile[], like?: Registry) {
    this.list = [...files];
    this.loaded = new Map(like?.loaded);
  }

  get files(): readonly CodeFile[] {
    return this.list;
  }

  /** Loads every file; one that fails is kept as its error, which closes what needs it. */
  async load(load: LoadFile): Promise<void> {
    for (const { file } of this.files)
      this.loaded.set(
        file,
        await load(`./${file}`).then(
          (value) => ({ value }),
          (error: unknown) => ({ error: notLoaded(file, error) }),
        ),
      );
  }

  /** Adds what an extension makes in `file`, as if it were a file of its own. */
  provide(kind: CodeKind, uid: string, value: unknown, file: string): void {
    const place = `${file} › ${kind} ${uid}`;
    this.list.push({ file: place, kind, uid });
    this.loaded.set(place, { value });
  }

  of(kind: CodeKind): readonly CodeFile[] {
    return this.files.filter((file) => file.kind === kind);
  }

  find(kind: CodeKind, uid: string): CodeFile | undefined {
    return this.files.find((file) => file.kind === kind && file.uid === uid);
  }

  /** The files that could not be loaded. */
  failures(): readonly (CodeFile & { readonly error: Unsupported })[] {
    return this.files.flatMap((file) => {
      const error = this.errorOf(file.file);
      return error ? [{ ...file, error }] : [];
    });
  }

  errorOf(file: string): Unsupported | null {
    const loaded = this.loaded.get(file);
    return loaded && 'error' in loaded ? loaded.error : null;
  }

  /** What a file exports. @throws Unsupported if it could not be loaded */
  value(file: string): unknown {
    const loaded = this.loaded.get(file);
    if (loaded === undefined) return undefined;
    return 'error' in loaded ? fail(loaded.error) : loaded.value;
  }

  /** A controller or service, made by its factory the first time; undefined if there is none. */
  instance(kind: 'controller' | 'service', uid: string, strapi: object): unknown {
    const file = this.find(kind, uid)?.file;
    if (file === undefined) return undefined;
    if (!this.made.has(file)) {
      const value = this.value(file);
      this.made.set(file, isCallable(value) ? value({ strapi }) : value);
    }
    return this.made.get(file);
  }
}

const notLoaded = (file: string, error: unknown): Unsupported =>
  error instanceof Unsupported
    ? new Unsupported(file, `cannot be loaded: ${error.message}`)
    : new Unsupported(file, `cannot be loaded: ${reasonOf(error).split('\n')[0]}`);
