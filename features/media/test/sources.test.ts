// Runs on SQLite only: pictures.test.ts stores pictures on both engines.
/** Which addresses pictures are fetched from. */
import { t } from 'tap'
import type { ServiceSettings } from '../../../options/index.ts'
import { optionsFromEnv } from '../../../test/support/service/settings.ts'
import type { MediaSettings } from '../index.ts'
import { PictureSources } from '../sources.ts'

const locate = (imageSources: string, link: string): string | undefined =>
  new PictureSources({ imageSources } as ServiceSettings & MediaSettings).locate(link)?.href

t.test('a host is the one of the URL, however it is written', async t => {
  for (const [host, link] of [
    ['Images.Example.COM', 'https://images.example.com/x'],
    ['images.example.com', 'http://IMAGES.example.com:80/x'],
    ['bücher.example', 'https://bücher.example/x'],
    ['xn--bcher-kva.example', 'https://bücher.example/x'],
    ['images.example.com:443', 'https://images.example.com/x'],
    ['images.example.com:80', 'http://images.example.com/x'],
    ['[2606:4700:0::1]', 'https://[2606:4700::1]/x'],
    ['https://gateway.example/ipfs', 'http://gateway.example/x']
  ] as const)
    t.equal(locate(host, link), new URL(link).href, `${host} ${link}`)
})

t.test('a picture of a host that is not listed is not fetched', async t => {
  for (const link of [
    'https://images.example.com.evil.example/x',
    'https://images.example.com@evil.example/x',
    'https://evil.example/images.example.com',
    'https://evil.example\\@images.example.com/x',
    'https://images.example.com:8443/x',
    'https://images.example.com./x',
    'https://example.com/x',
    'ftp://images.example.com/x',
    'blob:https://images.example.com/x',
    '//images.example.com/x'
  ])
    t.equal(locate('images.example.com', link), undefined, link)
})

t.test('a host or gateway that is in no URL is refused at start', async t => {
  for (const source of ['https://%/ipfs', 'http://[::1/ipfs', 'a:b:c', '[::1', 'a\\b', 'a%', 'user@a', 'a/b'])
    t.throws(() => optionsFromEnv({ IMAGE_SOURCES: source }), /IMAGE_SOURCES/, source)
  for (const source of ['https://gateway.example/ipfs/', 'a.example, b.example:8080', '[::1]:80'])
    t.equal((optionsFromEnv({ IMAGE_SOURCES: source }) as unknown as MediaSettings).imageSources, source)
})
