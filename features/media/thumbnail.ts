import { Semaphore } from '../../runtime/semaphore.ts'

/** The media types that the service shows, and how their files begin. SVG is missing: it may have scripts. */
const types: [type: string, extension: string, isType: (bytes: Buffer) => boolean][] = [
  ['image/png', 'png', bytes => bytes.readUInt32BE(0) === 0x89504e47],
  ['image/jpeg', 'jpg', bytes => bytes.readUIntBE(0, 3) === 0xffd8ff],
  ['image/gif', 'gif', bytes => bytes.toString('latin1', 0, 4) === 'GIF8'],
  [
    'image/webp',
    'webp',
    bytes => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
  ],
  [
    'image/avif',
    'avif',
    // The file begins with the length of a box. With letters there, it may be an SVG file that begins with a comment.
    bytes => bytes.readUInt16BE(0) === 0 && /^ftypavi[fs]$/.test(bytes.toString('latin1', 4, 12))
  ]
]

/** Finds the media type of a picture by its bytes; undefined if the service does not show this type. */
export function findPictureType(bytes: Buffer): string | undefined {
  return bytes.length < 12 ? undefined : types.find(([, , isType]) => isType(bytes))?.[0]
}

export const findExtension = (type: string): string => types.find(([name]) => name === type)?.[1] ?? 'bin'

/** Maximum width and height of a thumbnail, in pixels. */
const maxThumbnailSidePixels = 640
/**
 * Maximum pixels of a picture of which a thumbnail is made. Each pixel takes up to 10 bytes of memory, and a file of 1
 * KB may have very many.
 */
const maxPixels = 27_000_000
/** In AVIF, a pixel takes up to 20 bytes. */
const maxAvifPixels = maxPixels / 2
/** Maximum width and height of such a picture. A very long one takes many times as long per pixel. */
const maxSidePixels = 32_768
/** Maximum seconds to make a thumbnail, because others wait. */
const timeoutSeconds = 5

/** Only one thumbnail is made at a time, because each takes much memory and a thread of libuv's pool. */
const place = new Semaphore(1)

/** Makes a thumbnail, in WebP; undefined if sharp is not installed. Rejects if the bytes are not a picture. */
export async function makeThumbnail(bytes: Buffer): Promise<Buffer | undefined> {
  const sharp = await importSharp()
  if (!sharp) return undefined
  const leave = await place.take()
  try {
    const picture = sharp(bytes, {
      limitInputPixels: findPictureType(bytes) === 'image/avif' ? maxAvifPixels : maxPixels
    })
    const { width, height } = await picture.metadata()
    if (Math.max(width, height) > maxSidePixels)
      throw new Error(`the picture has a side of more than ${maxSidePixels} pixels`)
    return await picture
      .rotate()
      .resize({
        width: maxThumbnailSidePixels,
        height: maxThumbnailSidePixels,
        fit: 'inside',
        withoutEnlargement: true
      })
      .webp({ quality: 78 })
      .timeout({ seconds: timeoutSeconds })
      .toBuffer()
  } finally {
    leave()
  }
}

export async function importSharp() {
  try {
    const { default: sharp } = await import('sharp')
    // One thread per picture, because other requests need the processor, too. No cache, because no picture comes
    // twice.
    sharp.concurrency(1)
    sharp.cache(false)
    return sharp
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
