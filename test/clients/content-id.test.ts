// Runs on SQLite only, in test:all only: pictures.test.ts stores pictures on both engines.
/** Content ids and CAR files are those of IPFS. */
import { CarReader } from '@ipld/car'
import { MemoryBlockstore } from 'blockstore-core'
import { importer } from 'ipfs-unixfs-importer'
import { t } from 'tap'
import { makeContentId, makeFileBlocks, writeCar } from '../../features/media/ipfs.ts'

/** Adds files as another implementation does. */
async function addFiles(files: { path: string; content: Uint8Array }[], wrapWithDirectory = false) {
  const entries: { path: string | undefined; cid: string }[] = []
  const options = { cidVersion: 1, rawLeaves: true, wrapWithDirectory } as const
  for await (const { path, cid } of importer(files, new MemoryBlockstore(), options))
    entries.push({ path, cid: cid.toString() })
  return entries
}

t.test('content ids are those that are published', async t => {
  t.equal(makeContentId(Buffer.alloc(0)), 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')
  t.equal(
    makeContentId(Buffer.from('hello world\n')),
    'bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4'
  )
})

t.test('content ids are those of another implementation', async t => {
  for (const size of [0, 1, 1024, 262_143, 262_144, 262_145, 524_288, 10 * 2 ** 20]) {
    const bytes = Buffer.from(Array.from({ length: size }, (_, at) => (at * 7919) % 251))
    const [added] = await addFiles([{ path: 'x', content: bytes }])
    t.equal(makeContentId(bytes), added?.cid, `${size} bytes`)
  }
  t.throws(() => makeFileBlocks(Buffer.alloc(44 * 2 ** 20)), RangeError)
})

t.test('a CAR file has all blocks, and the folder of all files as its root', async t => {
  const contents = [Buffer.from('one'), Buffer.alloc(600_000, 'two'), Buffer.alloc(0)]
  const files = contents.map((content, at) => ({ name: `${9 - at}.png`, content }))
  const parts: Uint8Array[] = []
  for await (const part of writeCar(files.map(({ name, content }) => ({ name, read: async () => content }))))
    parts.push(part)
  const car = await CarReader.fromBytes(Buffer.concat(parts))
  const root = (
    await addFiles(
      files.map(({ name, content }) => ({ path: name, content })),
      true
    )
  ).at(-1)
  t.same((await car.getRoots()).map(String), [root?.cid])
  const blocks = new Map<string, Uint8Array>()
  for await (const { cid, bytes } of car.blocks()) blocks.set(String(cid), bytes)
  for (const { content } of files)
    for (const { cid, bytes } of makeFileBlocks(content))
      t.equal(Buffer.compare(blocks.get(String(cid)) ?? Buffer.from('none'), bytes), 0)
})
