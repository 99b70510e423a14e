// Runs on SQLite only, alone, in test:all only: pictures.test.ts stores pictures on both engines.
/** Small pictures take a bounded part of the memory and of the threads. */
import sharp from 'sharp'
import { t } from 'tap'
import { picture } from '../../../test/support/pictures.ts'
import { shrink } from '../shrink.ts'

t.test('a picture of too many pixels is not made small', async t => {
  const draw = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: 'red' } })
  t.ok(await shrink(await draw(6000, 4000).jpeg().toBuffer()), 'that of a camera is')
  await t.rejects(draw(6000, 4600).png().toBuffer().then(shrink), /pixel limit/)
  await t.rejects(draw(4000, 3500).avif({ effort: 0 }).toBuffer().then(shrink), /pixel limit/)
})

t.test('a very long picture is not made small, because it would take as long as many', async t => {
  const draw = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: 'red' }, limitInputPixels: false })
      .png()
      .toBuffer()
  for (const [width, height] of [
    [2, 40_000],
    [40_000, 2]
  ] as const)
    await t.rejects(draw(width, height).then(shrink), /side/, `${width} × ${height}`)
  t.ok(await shrink(await draw(800, 32_000)), 'a panorama is')
})

t.test('pictures are made small one at a time', async t => {
  const bytes = await picture(3, 900)
  const before = sharp.counters()
  const all = Promise.all(Array.from({ length: 5 }, () => shrink(bytes)))
  let most = 0
  const timer = setInterval(() => {
    const { process, queue } = sharp.counters()
    most = Math.max(most, process + queue)
  }, 1)
  t.ok((await all).every(small => small))
  clearInterval(timer)
  t.same(before, { queue: 0, process: 0 })
  t.equal(most, 1)
})
