// A picture of a text opens full screen when it is clicked or tapped: on a phone a wide one is turned to the
// long side. Without scripts, or with the key for a new tab held down, the link leads to the picture itself.

import { t } from './language.mjs';

function shownLarge(link) {
    const dialog = document.createElement('dialog');
    dialog.className = 'picture-dialog';
    const picture = link.querySelector('img').cloneNode();
    dialog.setAttribute('aria-label', picture.alt);
    picture.className = picture.naturalWidth > picture.naturalHeight ? 'is-wide' : '';
    picture.style.setProperty('--ratio', picture.naturalHeight / picture.naturalWidth);
    const close = document.createElement('button');
    close.type = 'button';
    close.setAttribute('aria-label', t`Close the picture`);
    close.textContent = '✕';
    dialog.append(close, picture);
    dialog.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => {
        dialog.remove();
        link.focus({ preventScroll: true });
    });
    document.body.append(dialog);
    dialog.showModal();
}

export function openPicturesLarge() {
    // Must run before VitePress's router, which would leave the page.
    document.addEventListener(
        'click',
        (event) => {
            const link = event.target.closest?.('a.picture');
            if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
                return;
            event.preventDefault();
            event.stopPropagation();
            shownLarge(link);
        },
        { capture: true },
    );
}
