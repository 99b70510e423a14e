import { loadViewStore, type NamedView, type SharedViewStore, type ViewStore } from '../additions.ts'
import { mayWrite } from '../api.ts'
import { readTelling } from '../filters/telling.ts'
import { createSetting } from '../storage.ts'

/** The views that this browser keeps. */
const ownViews = createSetting<Omit<NamedView, 'shared' | 'mayChange'>[]>('views', [])
const maxOwned = 50

const browserStore: ViewStore = {
  list: async () => ownViews.value.map(view => ({ ...view, shared: false, mayChange: true })),

  async save({ id = `own-${crypto.randomUUID()}`, name, query, columns }) {
    const others = ownViews.value.filter(view => view.id !== id)
    if (others.length >= maxOwned) return { problems: [`you have ${maxOwned} views: delete one first`] }
    ownViews.value = [...others, { id, name, query, columns }]
    return { id, name, query, columns, shared: false, mayChange: true }
  },

  async remove(id) {
    ownViews.value = ownViews.value.filter(view => view.id !== id)
    return []
  }
}

const isOwn = (id: string | undefined): boolean => ownViews.value.some(view => view.id === id)

const loadStore = async (): Promise<SharedViewStore | undefined> => (await loadViewStore?.())?.viewStore

/** Whether the user may save views at the service, also shared ones. Otherwise, the browser keeps them. */
export const mayShareViews = (): boolean => loadViewStore !== undefined && mayWrite()

/** Lists the views by their names: the shared ones, and the user's own ones. */
export async function listViews(): Promise<NamedView[]> {
  const lists = [browserStore.list(), loadStore().then(store => store?.list() ?? [])]
  return (await Promise.all(lists)).flat().sort((one, other) => one.name.localeCompare(other.name))
}

/** Saves a view where it is kept, a new one at the service if possible. */
export const saveNamedView: ViewStore['save'] = async view =>
  ((!isOwn(view.id) && mayShareViews() && (await loadStore())) || browserStore).save(view)

export const removeView: ViewStore['remove'] = async id =>
  ((!isOwn(id) && (await loadStore())) || browserStore).remove(id)

/** Lets everybody begin with the columns of a shared view; undefined: with those that the page chooses. */
export async function chooseForEverybody(id: string | undefined): Promise<string[]> {
  const problems = (await (await loadStore())?.setDefault(id)) ?? []
  if (problems.length === 0) await readTelling(true)
  return problems
}
