import type { ButtonHTMLAttributes, TargetedMouseEvent } from 'preact'
import { busy, useBusy } from './use-busy.ts'

interface Props extends Omit<ButtonHTMLAttributes, 'class' | 'onClick'> {
  /** How prominent it is, as classes. */
  look?: string | undefined
  isBusy?: boolean
  /** May return a promise. Until it settles, the button is busy and ignores clicks. */
  onClick?: ((event: TargetedMouseEvent<HTMLButtonElement>) => unknown) | undefined
}

/** A button. Unless `type` says otherwise, it submits no form. */
export function Button({ look = '', isBusy = false, onClick, ...attributes }: Props) {
  const [isRunning, runOnce] = useBusy()
  return (
    <button
      type="button"
      {...attributes}
      class={`button ${look}`.trim()}
      {...busy(isBusy || isRunning)}
      onClick={event => {
        // `aria-disabled` alone stops neither a click nor the form that it submits.
        if (isBusy) event.preventDefault()
        else if (onClick) runOnce(() => onClick(event))
      }}
    />
  )
}
