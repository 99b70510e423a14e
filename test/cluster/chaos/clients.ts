/** Clients that use the service until it is over, and note what they were answered. */
import { setTimeout } from 'node:timers/promises'
import { exchange, issue, logIn, pick, revoke, tryToken, type World } from './requests.ts'
import { readings, readTemplates, writeTemplate } from './templates.ts'

/** Milliseconds between two turns of a client, so that the processes share the machine. */
const pause = 5
const writers = 3
const revokers = 2
/** How often, of all times, a client does what it should not. */
const rarely = 0.2
/** Old tokens that are tried again. */
const remembered = 50

/** Resolves when all clients have ended, with the ids of the templates and the tokens that were revoked. */
export async function runClients(world: World): Promise<{ ids: number[]; revoked: string[] }> {
  const ids: number[] = []
  const revoked: string[] = []
  const writing = Array.from({ length: writers }, () =>
    repeatWithToken(world, token => writeTemplate(world, ids, token))
  )
  const reading = readings.map(read =>
    repeatWithToken(world, async token => {
      if (ids.length > 0) await readTemplates(world, token, read(world, ids))
    })
  )
  const revoking = Array.from({ length: revokers }, () => repeat(world, () => revokeOne(world, revoked)))
  await Promise.all([...writing, ...reading, ...revoking, rotateTokens(world)])
  return { ids, revoked }
}

async function repeat(world: World, job: () => Promise<void>): Promise<void> {
  while (!world.isOver()) {
    await job()
    await setTimeout(pause)
  }
}

/** Gets a token, and repeats a job with it. */
async function repeatWithToken(world: World, job: (token: string) => Promise<unknown>): Promise<void> {
  let token: string | undefined
  await repeat(world, async () => {
    token ??= await issue(world)
    if (token) await job(token)
  })
}

/** Uses a token, revokes it, and uses it again; and one that was revoked before, perhaps by other servers. */
async function revokeOne(world: World, revoked: string[]): Promise<void> {
  const token = await issue(world)
  if (token === undefined) return
  await tryToken(world, token)
  while (!world.isOver()) if (await revoke(world, token)) break
  revoked.push(token)
  await Promise.all(world.urls.map(url => tryToken(world, token, url)))
  await tryToken(world, pick(world, revoked.slice(-remembered)))
}

/** Exchanges one refresh token after the other, sometimes the same twice at once, and sometimes an old one. */
async function rotateTokens(world: World): Promise<void> {
  let token: string | undefined
  const used: string[] = []
  await repeat(world, async () => {
    token ??= await logIn(world)
    if (token === undefined) return
    const current = token
    const times = world.random() < rarely ? 2 : 1
    const answers = await Promise.all(Array.from({ length: times }, () => exchange(world, current)))
    const next = answers.find(answer => answer !== undefined && answer !== 'refused')
    if (next !== undefined) used.push(current)
    // Without an answer, the same token is tried again.
    if (next !== undefined || answers.includes('refused')) token = next
    if (used.length > 0 && world.random() < rarely / 4)
      await exchange(world, pick(world, used.slice(-remembered)))
  })
}
