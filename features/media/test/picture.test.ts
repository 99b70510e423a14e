// Runs on SQLite only, alone, in test:all only: pictures.test.ts stores pictures on both engines.
/** Thumbnails take a bounded part of the memory and of the threads. */
import sharp from 'sharp'
import { t } from 'tap'
import { picture } from '../../../test/support/pictures.ts'
import { makeThumbnail } from '../thumbnail.ts'

t.test('a picture of too many pixels gets no thumbnail', async t => {
  const draw = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: 'red' } })
  t.ok(await makeThumbnail(await draw(6000, 4000).jpeg().toBuffer()), 'that of a camera is')
  await t.rejects(draw(6000, 4600).png().toBuffer().then(makeThumbnail), /pixel limit/)
  await t.rejects(draw(4000, 3500).avif({ effort: 0 }).toBuffer().then(makeThumbnail), /pixel limit/)
})

t.test('a very long picture gets no thumbnail, because that would take as long as many', async t => {
  const draw = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: 'red' }, limitInputPixels: false })
      .png()
      .toBuffer()
  for (const [width, height] of [
    [2, 40_000],
    [40_000, 2]
  ] as const)
    await t.rejects(draw(width, height).then(makeThumbnail), /side/, `${width} × ${height}`)
  t.ok(await makeThumbnail(await draw(800, 32_000)), 'a panorama is')
})

t.test('thumbnails are made one at a time', async t => {
  const bytes = await picture(3, 900)
  const before = sharp.counters()
  const all = Promise.all(Array.from({ length: 5 }, () => makeThumbnail(bytes)))
  let most = 0
  const timer = setInterval(() => {
    const { process, queue } = sharp.counters()
    most = Math.max(most, process + queue)
  }, 1)
  t.ok((await all).every(each => each))
  clearInterval(timer)
  t.same(before, { queue: 0, process: 0 })
  t.equal(most, 1)
})
