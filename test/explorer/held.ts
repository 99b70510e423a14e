import type { Locator, Page, Route } from 'playwright-core'
import { until } from '../support/until.ts'

/** Holds the mutations of a page, and notes their keys. */
export async function holdMutations(page: Page) {
  const held: Route[] = []
  const keys: (string | undefined)[] = []
  await page.route('**/graphql', route => {
    const request = route.request()
    if (!request.postDataJSON().query.startsWith('mutation')) return route.continue()
    keys.push(request.headers()['idempotency-key'])
    held.push(route)
    return undefined
  })
  /** Clicks twice, and returns the only request. */
  const clickTwice = async (target: Locator): Promise<Route> => {
    held.length = 0
    await target.dblclick()
    await until(() => held.length > 0)
    await page.evaluate(async () => {
      for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame)
    })
    const [only, ...others] = held
    if (!only || others.length > 0) throw new Error(`${held.length} requests`)
    return only
  }
  return { keys, clickTwice }
}

export const isBusy = (target: Locator) => target.getAttribute('aria-busy')
