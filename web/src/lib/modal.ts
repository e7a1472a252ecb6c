// A dialog in front of everything, from when it is made until it is closed by a button, by Esc or by the browser.

/**
 * To be attached to the dialog; `left` is called once, when it has been closed.
 *
 * Before the next key comes, that is: the dialog's own `close` event comes a frame later, and whatever opened the
 * dialog anew in between would be closed by it.
 */
export function modal(left: () => void): (dialog: HTMLDialogElement) => () => void {
  return (dialog) => {
    const watch = new MutationObserver(() => {
      if (dialog.open) return;
      watch.disconnect();
      left();
    });
    dialog.showModal();
    watch.observe(dialog, { attributeFilter: ["open"] });
    return () => watch.disconnect();
  };
}
