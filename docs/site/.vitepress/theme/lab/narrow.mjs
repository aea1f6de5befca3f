// Whether the page is as narrow as a phone.
import { onBeforeUnmount, ref } from 'vue';

const NARROW = '(max-width: 759px)'; // as in lab.css

export function useNarrow() {
    const media = matchMedia(NARROW);
    const isNarrow = ref(media.matches);
    const measure = () => (isNarrow.value = media.matches);
    media.addEventListener('change', measure);
    onBeforeUnmount(() => media.removeEventListener('change', measure));
    return isNarrow;
}
