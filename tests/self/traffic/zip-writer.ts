import { deflateRawSync } from 'node:zlib';

/** A file of a zip; it claims another size than it has with `claimedSize`, and `sameAs` shares the bytes of another. */
export interface ZippedFile {
  name: string;
  bytes?: string | Uint8Array;
  claimedSize?: number;
  sameAs?: string;
}

interface Place {
  offset: number;
  packedSize: number;
  size: number;
}

/** Writes a zip as nobody else would: its directory may say what it likes. */
export function zipOf(files: ZippedFile[]): Buffer {
  const places = new Map<string, Place>();
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes = '', claimedSize, sameAs } of files) {
    const packed = deflateRawSync(bytes);
    const place = places.get(sameAs ?? '') ?? {
      offset,
      packedSize: packed.length,
      size: Buffer.byteLength(bytes),
    };
    places.set(name, place);
    directory.push(directoryEntry(name, { ...place, size: claimedSize ?? place.size }));
    if (sameAs === undefined) {
      const local = Buffer.concat([localHeader(name, place), packed]);
      parts.push(local);
      offset += local.length;
    }
  }
  const entries = Buffer.concat(directory);
  return Buffer.concat([...parts, entries, directoryEnd(files.length, entries.length, offset)]);
}

/** Writes little-endian fields of two or four bytes. */
function fields(...values: [size: 2 | 4, value: number][]): Buffer {
  return Buffer.concat(
    values.map(([size, value]) => {
      const field = Buffer.alloc(size);
      field.writeUIntLE(value, 0, size);
      return field;
    }),
  );
}

const signature = (text: string) => Buffer.from(`PK${text}`);

/** What a local header and the directory say alike: version, flags, deflate, time, checksum, sizes, name. */
const described = (name: string, { packedSize, size }: Place) => [
  fields([2, 20], [2, 0], [2, 8], [4, 0], [4, 0], [4, packedSize], [4, size]),
  fields([2, Buffer.byteLength(name)], [2, 0]),
];

const localHeader = (name: string, place: Place) =>
  Buffer.concat([signature('\x03\x04'), ...described(name, place), Buffer.from(name)]);

const directoryEntry = (name: string, place: Place) =>
  Buffer.concat([
    signature('\x01\x02'),
    fields([2, 20]),
    ...described(name, place),
    fields([2, 0], [2, 0], [2, 0], [4, 0], [4, place.offset]),
    Buffer.from(name),
  ]);

const directoryEnd = (count: number, size: number, offset: number) =>
  Buffer.concat([
    signature('\x05\x06'),
    fields([2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0]),
  ]);
