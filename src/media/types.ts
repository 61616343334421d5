import type { RecordEvent } from '../events/events.js';
import type { Blobs } from '../store/gridfs.js';

/** A smaller version of an image. */
export interface ImageFormat extends Pick<FileEntry, 'name' | 'hash' | 'mime' | 'size' | 'url'> {
  readonly ext: string;
  readonly path: null;
  readonly width: number;
  readonly height: number;
  readonly sizeInBytes: number;
}

export type ImageFormats = Readonly<Record<string, ImageFormat>>;

/** An entry of `plugin::upload.file`. */
export interface FileEntry {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly alternativeText: string | null;
  readonly caption: string | null;
  readonly focalPoint: FocalPoint | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly formats: ImageFormats | null;
  readonly hash: string;
  readonly ext: string | null;
  readonly mime: string;
  /** Kilobytes with two decimals. */
  readonly size: number;
  readonly url: string;
  readonly provider: string;
}

/** Percentages of width and height from the top left. */
export interface FocalPoint {
  readonly x: number;
  readonly y: number;
}

/** Information that a caller may give about a file. Absent: unchanged, or derived from the file. */
export type FileInfo = Partial<Pick<FileEntry, 'name' | 'alternativeText' | 'caption' | 'focalPoint'>>;

/** Where the bytes are stored. A key is `<hash><ext>`, the last part of the file's `url`. */
export interface Provider extends Blobs {
  /** Stored as `provider` of each file. */
  readonly name: string;
}

/** The rows of `plugin::upload.file`. */
export interface FileRows {
  create(data: Omit<FileEntry, 'id' | 'documentId'>): Promise<FileEntry>;
  update(documentId: string, data: Partial<FileEntry>): Promise<FileEntry>;
  /** Returns what was removed; nothing if another was faster. */
  remove(documentId: string): Promise<readonly FileEntry[]>;
  /** By numeric id. */
  find(id: number): Promise<FileEntry | null>;
}

export interface MediaSettings {
  /** Bytes. */
  readonly sizeLimit: number;
  /** Maximum pixels of an image. */
  readonly maxPixels: number;
  /** Longest side in pixels, by format name. */
  readonly breakpoints: Readonly<Record<string, number>>;
  /**
   * MIME types or wildcards such as `image/*`. If no types are allowed explicitly, all but the denied ones
   * are.
   */
  readonly security: { readonly allowedTypes: readonly string[]; readonly deniedTypes: readonly string[] };
}

/** What storing a file needs. */
export interface Media {
  readonly provider: Provider;
  readonly rows: FileRows;
  readonly settings: MediaSettings;
  readonly record: RecordEvent;
  /** Runs `work` while no other does so for this file, in any process. Throws a 409 if others take too long. */
  readonly alone: <T>(documentId: string, work: () => Promise<T>) => Promise<T>;
}
