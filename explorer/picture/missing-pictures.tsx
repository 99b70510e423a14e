import type { FunctionComponent } from 'preact'
import { useState } from 'preact/hooks'
import { mayPublish } from '../api.ts'
import type { List } from '../gallery/list.ts'
import { selection } from '../gallery/selection.ts'
import { createSetting } from '../storage.ts'
import { Button } from '../ui/button.tsx'
import type { FetchDialogProps } from './fetch-dialog.tsx'
import { missingLinks } from './use-picture.ts'

/** The lists for which the offer was dismissed, and when: in milliseconds since 1970. */
const dismissals = createSetting<{ list: string; time: number }[]>('picture offers dismissed', [])
/** Milliseconds for which an offer stays dismissed. Later, the list may have new pictures. */
const dismissalTime = 24 * 3600 * 1000
/** The maximum number of lists for which the offer stays dismissed. */
const maxDismissed = 50

/** Lets the offer be made again for all lists, because an import may have brought new pictures. */
export const offerPictures = (): void => {
  dismissals.value = []
}

/** Offers publishers to fetch the pictures that the list cannot show. */
export function MissingPictures({ list: { where, entries } }: { list: List }) {
  const [Dialog, setDialog] = useState<FunctionComponent<FetchDialogProps>>()
  const [hasFailed, setFailed] = useState(false)
  const shown = new Set(entries.value.map(({ item }) => item?.document?.image ?? ''))
  const links = [...missingLinks.value.intersection(shown)]
  const thisList = JSON.stringify(where ?? {})
  const isDismissed = dismissals.value.some(
    ({ list, time }) => list === thisList && Date.now() - time < dismissalTime
  )
  if (!Dialog && (links.length === 0 || isDismissed || selection.value || !mayPublish())) return null
  const hosts = [...new Set(links.map(link => URL.parse(link)?.host))]
  // Loaded on demand, because it is rarely used.
  const open = () => {
    setFailed(false)
    return import('./fetch-dialog.tsx').then(
      ({ FetchDialog }) => setDialog(() => FetchDialog),
      () => setFailed(true)
    )
  }
  const dismiss = () => {
    const others = dismissals.value.filter(({ list }) => list !== thisList)
    dismissals.value = [...others, { list: thisList, time: Date.now() }].slice(-maxDismissed)
  }
  const close = (hasOnlyFailures: boolean) => {
    setDialog(undefined)
    // The user has seen why these cannot be fetched. After a reload, they would be missing again.
    if (hasOnlyFailures) dismiss()
  }
  return (
    <>
      {/* Floats, so that no card moves when it appears. On a narrow screen, it would cover cards. */}
      {links.length > 0 && (
        <div class="missing-pictures across card" role="status">
          {hosts.length === 1 ? `Pictures from ${hosts[0]} are missing.` : 'Some pictures are missing.'}
          {hasFailed && ' The service did not answer.'}
          <Button onClick={open}>Fetch pictures…</Button>
          <Button look="plain" onClick={dismiss}>
            Not now
          </Button>
        </div>
      )}
      {Dialog && <Dialog where={where ?? {}} onClose={close} />}
    </>
  )
}
