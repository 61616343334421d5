import { connect, type Socket } from 'node:net';
import { type Document, deserialize } from 'bson';

/** The first 16 bytes of a message, and its flags. */
const HEAD = 20;
const OP_MSG = 2013;

export const int32 = (value: number): Buffer => {
  const out = Buffer.alloc(4);
  out.writeInt32LE(value);
  return out;
};

/** One connection over which a test sends messages that no driver writes. */
export interface RawConnection {
  /** Sends the sections of a message and resolves with the response. Rejects if the connection is closed instead. */
  send(sections: Buffer): Promise<Document>;
  close(): void;
}

/** A section with a command. */
export const bodySection = (command: Uint8Array): Buffer => Buffer.concat([Buffer.of(0), command]);

/** A section with the documents of a field. */
export function sequenceSection(name: string, documents: readonly Uint8Array[]): Buffer {
  const rest = Buffer.concat([Buffer.from(`${name}\0`), ...documents]);
  return Buffer.concat([Buffer.of(1), int32(rest.length + 4), rest]);
}

function answerOf(socket: Socket): Promise<Document> {
  return new Promise((resolve, reject) => {
    let got = Buffer.alloc(0);
    const end = (act: () => void): void => {
      socket.off('data', onData).off('close', onClose).off('error', onClose);
      act();
    };
    const onClose = (): void => end(() => reject(new Error('the connection was closed')));
    const onData = (chunk: Buffer): void => {
      got = Buffer.concat([got, chunk]);
      if (got.length >= 4 && got.length >= got.readInt32LE(0))
        end(() => resolve(deserialize(got.subarray(HEAD + 1), { promoteBuffers: true })));
    };
    socket.on('data', onData).on('close', onClose).on('error', onClose);
  });
}

/** Connects to an engine's unix socket. */
export function connectRaw(uri: string): RawConnection {
  const socket = connect(decodeURIComponent(/^mongodb:\/\/([^/?]+)/.exec(uri)?.[1] ?? ''));
  return {
    send(sections) {
      const answer = answerOf(socket);
      const head = [HEAD + sections.length, 1, 0, OP_MSG, 0].map(int32);
      socket.write(Buffer.concat([...head, sections]));
      return answer;
    },
    close: () => socket.destroy(),
  };
}
