import { open } from 'node:fs/promises';

/** The first `bytes` bytes of a file, or fewer if it is shorter. */
export async function fileHead(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
