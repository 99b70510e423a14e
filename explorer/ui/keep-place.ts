/**
 * Keeps the place of the keyboard. If the element with the focus is removed, such as a button whose work is done, the
 * focus goes to the nearest element around it that is still there.
 */
export function keepPlace(root: HTMLElement): void {
  /** The element with the focus, and those around it, the nearest first. */
  let path: HTMLElement[] = []
  addEventListener('focusin', event => {
    path = event.composedPath().filter(element => element instanceof HTMLElement)
  })
  // The user has left the place.
  addEventListener('pointerdown', () => {
    path = []
  })
  const find = () => {
    if (path[0]?.isConnected !== false || document.activeElement !== document.body) return
    const left = path.find(element => element.isConnected && element.offsetHeight > 0)
    focusAny(left && left !== root && root.contains(left) ? left : root.querySelector('main'))
  }
  new MutationObserver(find).observe(root, { childList: true, subtree: true })
}

/** Focuses an element that the user cannot reach by Tab. */
function focusAny(element: HTMLElement | null): void {
  if (!element) return
  if (!element.hasAttribute('tabindex')) {
    element.tabIndex = -1
    element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true })
  }
  element.focus({ preventScroll: true })
}
